import type { NatsConnection, Status } from 'nats';
import { watchConnection } from '../../../mixins/nats/connecting.ts';
import { ConnectionLog } from '../../../mixins/nats/connection-log.ts';

/** What is told of a connection to which this happens. */
async function toldOf(events: [type: string, data: string][]): Promise<string[]> {
  const told: string[] = [];
  const write = (line: string) => void told.push(line.replace(/.* at a:4222:? ?/, 'log '));
  async function* status() {
    for (const [type, data] of events) yield { type, data } as Status;
  }
  await watchConnection(
    { status } as unknown as NatsConnection,
    new ConnectionLog({ warn: write, info: write }, 'a:4222'),
    { lost: () => void told.push('lost'), back: () => void told.push('back') },
  );
  return told;
}

test('a connection is lost once and back once, however often it is tried', async () => {
  const attempt: [string, string][] = [
    ['reconnecting', 'a:4222'],
    ['disconnect', 'a:4222'],
  ];
  const told = await toldOf([
    ['disconnect', 'a:4222'],
    ...attempt,
    ...attempt,
    ['reconnect', 'a:4222'],
    ['reconnect', 'a:4222'],
    ['reconnect', 'a:4222'],
  ]);
  expect(told).toEqual(['log the connection ended', 'lost', 'log ', 'back']);
});

test('why it was lost is told, and a refusal afterwards', async () => {
  const told = await toldOf([
    ['staleConnection', ''],
    ['disconnect', 'a:4222'],
    ['error', 'AUTHORIZATION_VIOLATION'],
  ]);
  expect(told).toEqual(['log it does not answer', 'lost', 'log AUTHORIZATION_VIOLATION']);
});

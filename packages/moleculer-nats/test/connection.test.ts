import type { NatsConnection, Status } from 'nats';
import { connectionEnd } from '../connection.ts';

/** Why a connection ended to which this has happened. */
function endAfter(events: Partial<Status>[]): Promise<string> {
  async function* status() {
    for (const event of events) yield event as Status;
  }
  const closed = () => new Promise<undefined>((resolve) => setTimeout(resolve));
  const log = { refused: () => undefined };
  return connectionEnd({ status, closed } as unknown as NatsConnection, log);
}

test.each<[string, Partial<Status>[]]>([
  ['the connection ended', []],
  ['the connection ended', [{ type: 'disconnect' as never, data: 'a:4222' }]],
  ['it does not answer', [{ type: 'staleConnection' as never, data: '' }]],
  ['AUTHORIZATION_VIOLATION', [{ type: 'error' as never, data: 'AUTHORIZATION_VIOLATION' }]],
  [
    'the connection ended',
    [{ type: 'error' as never, data: 'x', permissionContext: { operation: 'x', subject: 'y' } }],
  ],
])('tells why a connection has ended: %s', async (why, events) => {
  expect(await endAfter(events)).toBe(why);
});

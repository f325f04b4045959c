import { Errors, type ServiceBroker } from 'moleculer';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { waitFor } from '../helpers/wait.ts';

let nats: TestNats;
let address: string;
let callee: ServiceBroker;
let caller: ServiceBroker;
/** What the caller logs. */
let lines: string[];

beforeAll(async () => {
  nats = await TestNats.notYet();
  address = new URL(nats.url).host;
  callee = brokerOn(nats.url, 'callee').broker;
  ({ broker: caller, lines } = brokerOn(nats.url, 'caller'));
  callee.createService({ name: 'things', actions: { echo: () => 'echo' } });
  await Promise.all([caller.start(), callee.start()]);
});
afterAll(async () => {
  await Promise.all([caller.stop(), callee.stop()]);
  await killNats();
});

const call = (): Promise<unknown> => caller.call('things.echo').catch((error: unknown) => error);
const untilAnswered = () => waitFor('an answer', async () => (await call()) === 'echo');
/** What has been logged since it was asked last. */
const newLines = () => lines.splice(0);

/** The same connections all along: what one test leaves is where the next begins. */
describe('a process and its NATS', () => {
  it('says once that there is none when it starts, and that it has come', async () => {
    expect(newLines()).toEqual([`warn: No connection to NATS at ${address}: CONNECTION_REFUSED`]);
    expect(await call()).toBeInstanceOf(Errors.ServiceNotFoundError);
    await nats.start();
    await untilAnswered();
    expect(newLines()).toEqual([`info: Connected to NATS at ${address}`]);
  });

  it('says once that NATS is lost, however many calls are made, and that it is back', async () => {
    await nats.kill();
    await waitFor('the news', () => !caller.transit?.tx.connected);
    const answers = await Promise.all(Array.from({ length: 20 }, call));
    for (const answer of answers) expect(answer).toMatchObject({ type: 'UNAVAILABLE' });
    expect(newLines()).toEqual([`warn: No connection to NATS at ${address}: the connection ended`]);
    await nats.start();
    await untilAnswered();
    expect(newLines()).toEqual([`info: Connected to NATS at ${address}`]);
  });

  it('comes back when NATS has refused it for a while', async () => {
    await nats.kill();
    const refused = refusals(caller, 4);
    const calleeRefused = refusals(callee, 4);
    await nats.start('another password');
    await Promise.all([refused, calleeRefused]);
    expect(newLines()).toEqual([
      `warn: No connection to NATS at ${address}: the connection ended`,
      `warn: No connection to NATS at ${address}: AUTHORIZATION_VIOLATION`,
    ]);
    await nats.kill();
    await nats.start();
    await untilAnswered();
    expect(newLines()).toEqual([`info: Connected to NATS at ${address}`]);
  });

  it('connects anew when its client has closed for good', async () => {
    await Promise.all([caller, callee].map((broker) => transporterOf(broker).client?.close()));
    await untilAnswered();
    expect(newLines()).toEqual(['error: The NATS client has closed: nobody knows why']);
  });

  it('does not connect again when it stops', async () => {
    const { broker, lines: last } = brokerOn(nats.url, 'another');
    await broker.start();
    await broker.stop();
    expect(transporterOf(broker).client).toBeNull();
    expect(last).toEqual([]);
  });
});

/** Resolves when the server has refused the client's password so often. */
async function refusals(broker: ServiceBroker, times: number): Promise<void> {
  let left = times;
  for await (const { type, data } of transporterOf(broker).client?.status() ?? []) {
    if (type === 'error' && data === 'AUTHORIZATION_VIOLATION' && --left === 0) return;
  }
}

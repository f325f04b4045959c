import { setTimeout as sleep } from 'node:timers/promises';
import { announceServices } from '@workspace-automation/moleculer-nats';
import { Errors, type ServiceBroker } from 'moleculer';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { waitFor } from '../helpers/wait.ts';

/** nats-server ends connections that never say who they are after 2 s. */
const SERVER_REFUSES_LATE_MS = 3_000;

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
/** Waits until that is the last thing that was wrong. */
const untilLogged = (what: string) =>
  waitFor(what, () => lines.at(-1)?.endsWith(`: ${what}`) ?? false);
/** What has been logged since it was asked last. */
const newLines = () => lines.splice(0);

/** Which error an attempt meets while nats-server comes or goes is chance; none is told twice in a row. */
function expectTold(last: string, ...before: string[]): void {
  const told = newLines();
  expect(told.at(-1)).toBe(last);
  for (const line of before) expect(told).toContain(line);
  for (const [at, line] of told.entries()) expect(line).not.toBe(told[at - 1]);
  expect(told.length).toBeLessThan(10);
}
const none = (why: string) => `warn: No connection to NATS at ${address}: ${why}`;
const there = () => `info: Connected to NATS at ${address}`;

/** The same connections all along: what one test leaves is where the next begins. */
describe('a process and its NATS', () => {
  it('says once that there is none when it starts, and that it has come', async () => {
    expect(newLines()).toEqual([none('CONNECTION_REFUSED')]);
    expect(await call()).toBeInstanceOf(Errors.ServiceNotFoundError);
    await nats.start();
    await untilAnswered();
    expectTold(there());
  });

  it('says once that NATS is lost, however many calls are made, and that it is back', async () => {
    await nats.kill();
    await waitFor('the news', () => !caller.transit?.tx.connected);
    const answers = await Promise.all(Array.from({ length: 20 }, call));
    for (const answer of answers) expect(answer).toMatchObject({ type: 'UNAVAILABLE' });
    await untilLogged('CONNECTION_REFUSED');
    expectTold(none('CONNECTION_REFUSED'), none('the connection ended'));
    await nats.start();
    await untilAnswered();
    expectTold(there());
  });

  it('comes back when NATS has refused it for a while', async () => {
    await nats.kill();
    await untilLogged('CONNECTION_REFUSED');
    await nats.start('another password');
    await untilLogged('AUTHORIZATION_VIOLATION');
    await nats.kill();
    await untilLogged('CONNECTION_REFUSED');
    expectTold(none('CONNECTION_REFUSED'), none('AUTHORIZATION_VIOLATION'));
    await nats.start();
    await untilAnswered();
    expectTold(there());
  });

  it('connects anew when its client has closed for good', async () => {
    await Promise.all([caller, callee].map((broker) => transporterOf(broker).client?.close()));
    await untilAnswered();
    expectTold(there(), none('the connection ended'));
  });

  it('has one connection after a NATS that stood still for long', async () => {
    let heard = 0;
    callee.createService({ name: 'ears', events: { 'test.said': () => void heard++ } });
    await announceServices(callee);
    const lost = [caller, callee].map((broker) => transporterOf(broker).client?.closed());
    nats.signal('SIGSTOP');
    await Promise.all(lost); // it does not answer
    await untilLogged('TIMEOUT'); // an attempt that is given up, and goes on in the server's queue
    nats.signal('SIGCONT');
    await untilAnswered();
    await waitFor('both', async () => transporterOf(callee).connected);
    await sleep(SERVER_REFUSES_LATE_MS);
    await caller.broadcast('test.said');
    await untilAnswered();
    await waitFor('the event', () => heard > 0);
    expect(heard).toBe(1);
    expectTold(there(), none('TIMEOUT'));
  });

  it('does not connect again when it stops', async () => {
    const { broker, lines: last } = brokerOn(nats.url, 'another');
    await broker.start();
    await broker.stop();
    expect(transporterOf(broker).client).toBeNull();
    expect(last).toEqual([]);
  });
});

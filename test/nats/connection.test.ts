import { setTimeout as sleep } from 'node:timers/promises';
import { announceServices } from '@workspace-automation/moleculer-nats';
import { Errors } from 'moleculer';
import { nodes } from '../fixtures/nodes.ts';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { waitFor } from '../helpers/wait.ts';

/** nats-server ends connections that never say who they are after 2 s. */
const SERVER_REFUSES_LATE_MS = 3_000;

const { nats, node } = nodes({ natsStarts: false });
const caller = node('caller');
const callee = node('callee', {
  service: { name: 'things', actions: { echo: () => 'echo' } },
});

const call = (): Promise<unknown> => caller.call('things.echo').catch((error: unknown) => error);
const untilAnswered = () => waitFor('an answer', async () => (await call()) === 'echo');
/** Waits until that is the last thing that was wrong. */
const untilLogged = (what: string) =>
  waitFor(what, () => caller.lines.at(-1)?.endsWith(`: ${what}`) ?? false);
/** What has been logged since it was asked last. */
const newLines = () => caller.lines.splice(0);

/** Which error an attempt meets while nats-server comes or goes is chance; none is told twice in a row. */
function expectTold(last: string, ...before: string[]): void {
  const told = newLines();
  expect(told.at(-1)).toBe(last);
  for (const line of before) expect(told).toContain(line);
  for (const [at, line] of told.entries()) expect(line).not.toBe(told[at - 1]);
  expect(told.length).toBeLessThan(10);
}
const none = (why: string) => `warn: No connection to NATS at ${new URL(nats.url).host}: ${why}`;
const there = () => `info: Connected to NATS at ${new URL(nats.url).host}`;

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
    await Promise.all([caller, callee].map(({ transporter }) => transporter.client?.close()));
    await untilAnswered();
    expectTold(there(), none('the connection ended'));
  });

  it('has one connection after a NATS that stood still for long', async () => {
    let heard = 0;
    callee.broker.createService({ name: 'ears', events: { 'test.said': () => void heard++ } });
    await announceServices(callee.broker);
    const lost = [caller, callee].map(({ transporter }) => transporter.client?.closed());
    nats.signal('SIGSTOP');
    await Promise.all(lost); // it does not answer
    await untilLogged('TIMEOUT'); // an attempt that is given up, and goes on in the server's queue
    nats.signal('SIGCONT');
    await untilAnswered();
    await waitFor('both', async () => callee.transporter.connected);
    await sleep(SERVER_REFUSES_LATE_MS);
    await caller.broker.broadcast('test.said');
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

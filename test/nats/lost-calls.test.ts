import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, Errors } from 'moleculer';
import { nodes } from '../fixtures/nodes.ts';
import { brokerOn } from '../helpers/brokers.ts';
import type { CalleeProcess } from '../helpers/callee.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds that the calls of these tests may take; an answer before half of them is not the deadline's. */
const DEADLINE_MS = 30_000;

const { nats, node, callee } = nodes();
const caller = node('caller');
let callees: CalleeProcess[] = [];

afterEach(async () => {
  await Promise.all(callees.map((each) => each.kill()));
  callees = [];
});

async function startCallee(nodeID: string): Promise<CalleeProcess> {
  const started = await callee(nodeID, caller);
  callees.push(started);
  return started;
}

const call = (action: string, ms: number): Promise<unknown> =>
  caller.call(action, { ms }, { timeout: DEADLINE_MS }).catch((error: unknown) => error);

/** The outcome, and the milliseconds from now until then. */
async function timed<T>(outcome: Promise<T>): Promise<{ outcome: T; ms: number }> {
  const since = performance.now();
  return { outcome: await outcome, ms: performance.now() - since };
}

test.each([0, 1_500])(
  'a write ends soon after its process was killed, having run for %i ms',
  async (age) => {
    const callee = await startCallee(`killed-${age}`);
    const outcome = call('things.write', 60_000);
    await callee.untilSaid('write 60000');
    await sleep(age);
    await callee.kill();
    const ended = await timed(outcome);
    expect(ended.outcome).toBeInstanceOf(Errors.RequestTimeoutError);
    expect(ended.ms).toBeLessThan(DEADLINE_MS / 2);
    expect(caller.pendingCalls).toBe(0);
  },
);

test('a write ends soon after its process was killed, though another process offers the action', async () => {
  const [one, other] = [await startCallee('one'), await startCallee('other')];
  const outcomes = Array.from({ length: 20 }, (_, n) => call('things.write', 3_000 + n));
  const writes = (callee: CalleeProcess) =>
    callee.lines().filter((line) => line.startsWith('write')).length;
  await waitFor('all writes', () => writes(one) + writes(other) === 20);
  expect(writes(one)).toBeGreaterThan(0);
  const taken = writes(one);
  await one.kill();
  const { outcome, ms } = await timed(Promise.all(outcomes));
  expect(ms).toBeLessThan(DEADLINE_MS / 2);
  expect(outcome.filter((answer) => answer === 'other')).toHaveLength(20 - taken);
  expect(outcome.filter((answer) => answer instanceof Errors.RequestTimeoutError)).toHaveLength(
    taken,
  );
  expect(writes(other)).toBe(20 - taken);
});

test('a read whose process was killed is answered by another', async () => {
  const [first] = [await startCallee('first'), await startCallee('second')];
  const outcomes = Array.from({ length: 8 }, () => call('things.read', 1_000));
  await first.untilSaid('read');
  await first.kill();
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['second']));
});

test('a write with a key whose process was killed is carried out by another, for the rest of its wait', async () => {
  const [one, other] = [await startCallee('killed-with-key'), await startCallee('other-with-key')];
  const wait = DEADLINE_MS / 5;
  const begin = performance.now();
  const outcomes = Array.from({ length: 8 }, () =>
    caller.call('things.keyed', { ms: wait }, { meta: { key: 1 }, timeout: DEADLINE_MS }),
  );
  const taken = (callee: CalleeProcess) => callee.lines().filter((line) => line === 'keyed').length;
  await waitFor('all writes', () => taken(one) + taken(other) === 8);
  expect(taken(one)).toBeGreaterThan(0);
  await one.kill();
  await waitFor('the repeats', () => taken(other) === 8);
  expect(performance.now() - begin).toBeLessThan(wait); // a silent call is sent again after its wait
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['other-with-key']));
  expect(performance.now() - begin).toBeLessThan(2 * wait);
});

test('a write with a key whose process is frozen is carried out by another', async () => {
  const [one, other] = [await startCallee('frozen-with-key'), await startCallee('live-with-key')];
  one.signal('SIGSTOP');
  // Each repeat reaches one of the two at random: within the usual timeout now and then none reaches the live one.
  caller.broker.options.requestTimeout = 2 * DEADLINE_MS;
  const outcomes = Array.from({ length: 8 }, () =>
    caller.call('things.keyed', { ms: 1 }, { meta: { key: 1 }, timeout: 2 * DEADLINE_MS }),
  );
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['live-with-key']));
  expect(other.lines().filter((line) => line === 'keyed').length).toBeGreaterThanOrEqual(8);
  one.signal('SIGCONT');
});

test('a write is not given up while its process is frozen', async () => {
  const callee = await startCallee('frozen');
  const outcome = call('things.write', 500);
  await callee.untilSaid('write 500');
  callee.signal('SIGSTOP');
  await sleep(4_000);
  callee.signal('SIGCONT');
  expect(await outcome).toBe('frozen');
});

test('a write outlives a nats-server that is killed and started again', async () => {
  const callee = await startCallee('outliving');
  const outcome = call('things.write', 6_000);
  await callee.untilSaid('write 6000');
  await nats.kill();
  await waitFor('the news', () => !caller.transporter.connected);
  await sleep(500);
  await nats.start();
  expect(await outcome).toBe('outliving');
});

test('a write is not given up while its process stops, though another process offers the action', async () => {
  await startCallee('staying');
  const stopping = brokerOn(nats.url, 'stopping').broker;
  let taken = 0;
  stopping.createService({
    name: 'things',
    actions: {
      write: async ({ params }: Context<{ ms: number }>) => {
        taken++;
        await sleep(params.ms);
        return 'stopping';
      },
    },
  });
  await stopping.start();
  await caller.untilOffered('things.write', 'stopping');
  const outcomes = Array.from({ length: 20 }, () => call('things.write', 3_000));
  await waitFor('a write', () => taken > 0);
  stopping.options.tracking = { enabled: true, shutdownTimeout: 7_000 };
  const stopped = stopping.stop();
  const answers = await Promise.all(outcomes);
  expect(answers.filter((answer) => answer === 'stopping')).toHaveLength(taken);
  expect(answers.filter((answer) => answer === 'staying')).toHaveLength(20 - taken);
  await stopped;
});

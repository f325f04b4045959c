import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { Errors } from 'moleculer';
import { LostCallError, NoRespondersError } from '../errors.ts';
import { type RemoteContext, RemoteRequest } from '../remote-request.ts';

/** Messages under way, by the id of the call, as Moleculer keeps them. */
const pending = new Map<string, { resolve(answer: unknown): void; reject(error: Error): void }>();
const tx = { connected: true };
const transit = {
  tx,
  pendingRequests: pending,
  removePendingRequest: (id: string) => pending.delete(id),
};
const timeouts: number[] = [];
const waits: unknown[] = [];
let sent = 0;
let hasResponder = true;
let answersAtOnce = () => false;
let ids = 0;

beforeEach(() => {
  jest.useFakeTimers();
  pending.clear();
  timeouts.length = 0;
  waits.length = 0;
  sent = 0;
  tx.connected = true;
  hasResponder = true;
  answersAtOnce = () => false;
});
afterEach(() => jest.useRealTimers());

/** Numbers from 0 to below 1, the same ones each time. */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function contextOf(timeout: number, params: object = {}): RemoteContext {
  const ctx = { id: `${++ids}`, options: { timeout }, broker: { transit }, params };
  return { ...ctx, copy: () => contextOf(0, params) } as unknown as RemoteContext;
}

function send({ id, options, params }: RemoteContext): Promise<unknown> {
  sent++;
  waits.push((params as { wait?: unknown }).wait);
  timeouts.push(options.timeout);
  if (!hasResponder) return Promise.reject(new NoRespondersError());
  if (answersAtOnce()) return Promise.resolve('found');
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

const hedgeBudget = { calls: 0, repeats: 0 };
const unavailable = () => new Errors.MoleculerError('No process answers.', 503, 'UNAVAILABLE');
const hedging = { budget: hedgeBudget, delayMs: 300 };
const read = (timeout = 10_000) =>
  new RemoteRequest(send, contextOf(timeout), { hedging, unavailable }).response();
const write = (timeout = 10_000) =>
  new RemoteRequest(send, contextOf(timeout), { unavailable }).response();
const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const outcomeOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
/** As Moleculer does when the answer comes. */
function answer(id: string | undefined, what: unknown): void {
  const request = pending.get(id ?? '');
  pending.delete(id ?? '');
  request?.resolve(what);
}

test('an idempotent call is sent again at growing intervals, with the time that is left', async () => {
  const outcome = outcomeOf(read());
  await after(300);
  expect(timeouts).toEqual([10_000, 9_700]);
  await after(600);
  await after(1_200);
  await after(2_400);
  expect(sent).toBe(5);
  await after(6_000);
  expect(await outcome).toBeInstanceOf(Errors.RequestTimeoutError);
  expect([pending.size, hedgeBudget.repeats, jest.getTimerCount()]).toEqual([0, 0, 0]);
});

test.each([0, 1])('the first response counts, also to message %i', async (nth) => {
  const outcome = outcomeOf(read());
  await after(350);
  answer([...pending.keys()][nth], 'found');
  expect(await outcome).toBe('found');
  await after(60_000);
  expect([sent, pending.size, hedgeBudget.repeats, jest.getTimerCount()]).toEqual([2, 0, 0, 0]);
});

test('of two streams that arrive together, the one that nobody gets is destroyed', async () => {
  const outcome = outcomeOf(read());
  await after(350);
  const streams = [Readable.from(['a']), Readable.from(['b'])];
  [...pending.keys()].forEach((id, n) => {
    answer(id, streams[n]);
  });
  expect(await outcome).toBe(streams[0]);
  await after(0);
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, true]);
});

test('when every callee is slow, the hedge budget limits repeats', async () => {
  const outcomes = Array.from({ length: 200 }, () => outcomeOf(read()));
  await after(9_000);
  expect(sent).toBeLessThan(420);
  for (const id of [...pending.keys()]) answer(id, 'found');
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['found']));
  expect(hedgeBudget).toEqual({ calls: 0, repeats: 0 });
});

test('when one of two processes is frozen, the other responds', async () => {
  const random = pseudoRandom();
  answersAtOnce = () => random() < 0.5;
  let found = 0;
  for (let begun = 0; begun < 1_000; begun++) {
    void outcomeOf(read()).then((outcome) => {
      if (outcome === 'found') found++;
    });
    await after(10);
  }
  await after(11_000);
  expect(found).toBeGreaterThan(900); // now and then all messages of a read go to the silent one
});

test('a lost message does not end the other messages of a call', async () => {
  const outcome = outcomeOf(read());
  await after(350);
  const [first, second] = pending.keys();
  pending.get(first ?? '')?.reject(new Errors.RequestTimeoutError({ action: '', nodeID: '' }));
  await after(0);
  answer(second, 'found');
  expect(await outcome).toBe('found');
});

test('a call that was lost is sent again at once, one that another message may answer is not', async () => {
  const outcome = outcomeOf(read());
  const lose = (id: string | undefined) =>
    pending.get(id ?? '')?.reject(new LostCallError({ action: '', nodeID: '' }));
  lose([...pending.keys()][0]);
  await after(1);
  expect(sent).toBe(2);
  await after(600);
  expect(sent).toBe(3);
  lose([...pending.keys()][1]);
  await after(1);
  expect(sent).toBe(3);
  answer([...pending.keys()].at(-1), 'found');
  expect(await outcome).toBe('found');
  expect([hedgeBudget.calls, hedgeBudget.repeats, jest.getTimerCount()]).toEqual([0, 0, 0]);
});

test.each([
  [1_000, [1_000, 400, 0]],
  ['1000', ['1000', 400, 0]],
  [undefined, [undefined, undefined, undefined]],
  ['soon', ['soon', 'soon', 'soon']],
])('of a call that asks to wait %p, a repeat waits for what is left', async (wait, expected) => {
  const ctx = contextOf(10_000, { wait });
  const keyed = { budget: hedgeBudget, delayMs: 600, waitParam: 'wait' };
  const outcome = outcomeOf(
    new RemoteRequest(send, ctx, { hedging: keyed, unavailable }).response(),
  );
  await after(1_200);
  expect(waits).toEqual(expected);
  answer([...pending.keys()].at(-1), 'found');
  expect(await outcome).toBe('found');
});

test.each([1e99, 2 ** 31, Number.POSITIVE_INFINITY])(
  'a call that would be repeated after %p ms, beyond its deadline, is sent once',
  async (delayMs) => {
    const outcome = outcomeOf(
      new RemoteRequest(send, contextOf(10_000), {
        hedging: { budget: hedgeBudget, delayMs },
        unavailable,
      }).response(),
    );
    await after(10_000);
    expect(sent).toBe(1);
    await after(100);
    expect(await outcome).toBeInstanceOf(Errors.RequestTimeoutError);
    expect([hedgeBudget.calls, hedgeBudget.repeats, jest.getTimerCount()]).toEqual([0, 0, 0]);
  },
);

test('a write is sent once and ends at its deadline', async () => {
  const outcome = outcomeOf(write());
  await after(9_999);
  expect(sent).toBe(1);
  await after(100);
  expect(await outcome).toBeInstanceOf(Errors.RequestTimeoutError);
  expect([sent, pending.size, jest.getTimerCount()]).toEqual([1, 0, 0]);
});

test.each([
  ['read', read],
  ['write', write],
])('a %s without responders is sent again for two seconds', async (_, call) => {
  hasResponder = false;
  let outcome: unknown;
  void outcomeOf(call()).then((found) => {
    outcome = found;
  });
  await after(1_950);
  expect(outcome).toBeUndefined();
  await after(200);
  expect(outcome).toMatchObject({ type: 'UNAVAILABLE', code: 503 });
  await after(60_000);
  expect([hedgeBudget.repeats, jest.getTimerCount()]).toEqual([0, 0]);
});

test('a call with a shorter timeout without responders ends within the timeout', async () => {
  hasResponder = false;
  const outcome = outcomeOf(write(500));
  await after(500);
  expect(await outcome).toMatchObject({ type: 'UNAVAILABLE', code: 503 });
});

test('nothing is sent while there is no connection', async () => {
  tx.connected = false;
  const outcome = outcomeOf(write());
  await after(1_000);
  expect(sent).toBe(0);
  tx.connected = true;
  await after(100);
  answer([...pending.keys()][0], 'written');
  expect(await outcome).toBe('written');
});

test('a call that a stopping process refused is sent to another process', async () => {
  const outcome = outcomeOf(write());
  const refusal = new Errors.ServiceNotAvailableError({ action: '', nodeID: '' });
  pending.values().next().value?.reject(refusal);
  await after(100);
  answer([...pending.keys()].at(-1), 'written');
  expect(await outcome).toBe('written');
});

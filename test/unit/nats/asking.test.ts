import { jest } from '@jest/globals';
import { Errors } from 'moleculer';
import { NoRespondersError } from '../../../mixins/nats/no-responders.ts';
import { type RemoteContext, RemoteRequest } from '../../../mixins/nats/remote-request.ts';
import { randomOf } from '../../faults/random.ts';

/** Messages under way, by the id of the call, as Moleculer keeps them. */
const pending = new Map<string, { resolve(answer: unknown): void; reject(error: Error): void }>();
const tx = { connected: true };
const transit = {
  tx,
  pendingRequests: pending,
  removePendingRequest: (id: string) => pending.delete(id),
};
const timeouts: number[] = [];
let sent = 0;
let isSomebodyThere = true;
let answersAtOnce = () => false;
let ids = 0;

beforeEach(() => {
  jest.useFakeTimers();
  pending.clear();
  timeouts.length = 0;
  sent = 0;
  tx.connected = true;
  isSomebodyThere = true;
  answersAtOnce = () => false;
});
afterEach(() => jest.useRealTimers());

function contextOf(timeout: number): RemoteContext {
  const ctx = { id: `${++ids}`, options: { timeout }, broker: { transit } };
  return { ...ctx, copy: () => contextOf(0) } as unknown as RemoteContext;
}

function send({ id, options }: RemoteContext): Promise<unknown> {
  sent++;
  timeouts.push(options.timeout);
  if (!isSomebodyThere) return Promise.reject(new NoRespondersError());
  if (answersAtOnce()) return Promise.resolve('found');
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

const underWay = { reads: 0, repeats: 0 };
const read = (timeout = 10_000) => new RemoteRequest(send, contextOf(timeout), underWay).answer();
const write = (timeout = 10_000) => new RemoteRequest(send, contextOf(timeout)).answer();
const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const outcomeOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
/** As Moleculer does when the answer comes. */
function answer(id: string | undefined, what: unknown): void {
  const request = pending.get(id ?? '');
  pending.delete(id ?? '');
  request?.resolve(what);
}

test('a read is asked for again at growing intervals, with the time that is left', async () => {
  const outcome = outcomeOf(read());
  await after(300);
  expect(timeouts).toEqual([10_000, 9_700]);
  await after(900);
  await after(2_700);
  expect(sent).toBe(4);
  await after(7_000);
  expect(await outcome).toBeInstanceOf(Errors.RequestTimeoutError);
  expect([pending.size, underWay.repeats, jest.getTimerCount()]).toEqual([0, 0, 0]);
});

test.each([0, 1])('the first answer counts, also to message %i', async (nth) => {
  const outcome = outcomeOf(read());
  await after(350);
  answer([...pending.keys()][nth], 'found');
  expect(await outcome).toBe('found');
  await after(60_000);
  expect([sent, pending.size, underWay.repeats, jest.getTimerCount()]).toEqual([2, 0, 0, 0]);
});

test('when everything is slow, not all are asked for again', async () => {
  const outcomes = Array.from({ length: 200 }, () => outcomeOf(read()));
  await after(9_000);
  expect(sent).toBeLessThan(420);
  for (const id of [...pending.keys()]) answer(id, 'found');
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['found']));
  expect(underWay).toEqual({ reads: 0, repeats: 0 });
});

test('when one of two processes stands still, the other answers', async () => {
  const random = randomOf(1);
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

test('one message that is lost leaves the others', async () => {
  const outcome = outcomeOf(read());
  await after(350);
  const [first, second] = pending.keys();
  pending.get(first ?? '')?.reject(new Errors.RequestTimeoutError({ action: '', nodeID: '' }));
  await after(0);
  answer(second, 'found');
  expect(await outcome).toBe('found');
});

test('a write is sent once, and ended when nobody waits for it any more', async () => {
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
])('a %s that nobody takes is held for two seconds', async (_, call) => {
  isSomebodyThere = false;
  let outcome: unknown;
  void outcomeOf(call()).then((found) => {
    outcome = found;
  });
  await after(1_950);
  expect(outcome).toBeUndefined();
  await after(200);
  expect(outcome).toMatchObject({ type: 'UNAVAILABLE', code: 503 });
  await after(60_000);
  expect([underWay.repeats, jest.getTimerCount()]).toEqual([0, 0]);
});

test('a call with less time than that is answered within it', async () => {
  isSomebodyThere = false;
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

test('a call that a leaving process did not take is sent to another', async () => {
  const outcome = outcomeOf(write());
  const refusal = new Errors.ServiceNotAvailableError({ action: '', nodeID: '' });
  pending.values().next().value?.reject(refusal);
  await after(100);
  answer([...pending.keys()].at(-1), 'written');
  expect(await outcome).toBe('written');
});

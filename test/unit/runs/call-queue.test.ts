import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { CallQueue } from '../../../services/runs/engine/execution/effects/call-queue.ts';

const share = { owner: 'person:1', tenant: 'workspace:1' };
const callsOfRun = () => new CallQueue().forRun(share, { waitFor: (work) => work() });

beforeAll(() => {
  const at = performance.now();
  databaseClock.add({ time: new Date(), sentAt: at, receivedAt: at });
});

test('the call of an interrupted run is not made', async () => {
  const call = jest.fn();
  const wait = { deadline: Date.now() + 60_000, signal: AbortSignal.abort() };
  expect(await callsOfRun().run(wait, call)).toBeNull();
  expect(call).not.toHaveBeenCalled();
});

test('an interruption leaves a call to its end that has its turn', async () => {
  const run = new AbortController();
  const call = async () => {
    run.abort();
    return 'made';
  };
  const wait = { deadline: Date.now() + 60_000, signal: run.signal };
  expect(await callsOfRun().run(wait, call)).toBe('made');
});

test('many owners whose calls take long leave calls to one without a call', async () => {
  const queue = new CallQueue();
  const long = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
  const gate = Promise.withResolvers<void>();
  const callsOf = (owner: string) =>
    Array.from({ length: 300 }, (_, at) => {
      const share = { owner, tenant: `${owner}${at % 20}` };
      return queue.forRun(share, { waitFor: (work) => work() }).run(long, () => gate.promise);
    });
  const greedy = Array.from({ length: 10 }, (_, at) => callsOf(`greedy${at}`)).flat();
  await expect(
    queue.forRun(share, { waitFor: (work) => work() }).run(long, async () => 'made'),
  ).resolves.toBe('made');
  gate.resolve();
  await Promise.all(greedy);
});

test('the failure of a call is that of its turn', async () => {
  const wait = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
  const call = () => Promise.reject(new Error('refused'));
  await expect(callsOfRun().run(wait, call)).rejects.toThrow('refused');
});

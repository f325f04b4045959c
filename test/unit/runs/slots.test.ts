import type { Plan } from '@workspace-automation/flow-language';
import { type OutboundClient, OutboundError } from '@workspace-automation/outbound-http';
import { RunModel } from '../../../models/run.model.ts';
import { longestCallMs, outboundCall } from '../../../services/runs/worker/outbound-call.ts';
import { Place } from '../../../services/runs/worker/place.ts';
import { Slots } from '../../../services/runs/worker/slots.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, onRunsDatabase, queueRun, runOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

const GREEDY = 1;
const OTHER = 2;

/** How many places a workspace gets that takes as many as it may. */
function greed(slots: Slots, workspaceId: number): number {
  let taken = 0;
  for (; slots.mayTake(workspaceId); taken++) slots.take(workspaceId);
  return taken;
}

test.each([
  [1, 1],
  [2, 1],
  [4, 3],
  [16, 12],
])('of %i places a workspace alone gets %i', (concurrency, share) => {
  const slots = new Slots(concurrency);
  expect(greed(slots, GREEDY)).toBe(share);
  expect(greed(slots, OTHER)).toBeGreaterThan(0);
});

test('two workspaces that take all they may leave a place for a third', () => {
  const slots = new Slots(16);
  for (const workspaceId of [1, 2]) greed(slots, workspaceId);
  expect(slots.mayTake(3)).toBe(true);
});

test('whoever comes back from outside takes a place by the same rule, and ends as well when aborted', async () => {
  const slots = new Slots(4);
  const end = new AbortController();
  const places = [1, 2, 3].map(() => new Place(slots, GREEDY, end.signal));
  expect(slots.goOutside(GREEDY)).toBe(true);
  slots.take(GREEDY);
  let back = false;
  const coming = slots.comeBack(GREEDY, end.signal).then((entered) => {
    back = entered;
  });
  await Promise.resolve();
  expect([back, slots.mayTake(OTHER)]).toEqual([false, true]);
  places[0]?.end();
  await coming;
  expect(back).toBe(true);
  expect(slots.goOutside(GREEDY)).toBe(true);
  slots.take(GREEDY);
  const given = slots.comeBack(GREEDY, end.signal);
  end.abort();
  expect(await given).toBe(false);
});

const ended = (id: number) =>
  waitFor('the end', async () => (await runOf(id)).status === 'SUCCESS', 8_000);

test.each([1, 4])(
  'calls that hang in one workspace hold up no other, with %i places',
  async (concurrency) => {
    const hanging = new Set<string>();
    for (let n = 0; n < 30; n++) await queueRun({ workspaceId: GREEDY });
    const worker = workerOf({
      plan: callsTo('/a'),
      concurrency,
      send: async ({ signal, ownHeaders }) => {
        const key = String(ownHeaders?.['idempotency-key']);
        const run = await runOf(Number(key.split('/')[0]));
        if (run.workspaceId === OTHER) return 'fine';
        hanging.add(key);
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    await started(worker);
    await waitFor('calls that hang', () => hanging.size >= Math.max(1, concurrency - 1));
    const { _id } = await queueRun({ workspaceId: OTHER });
    worker.wake();
    await ended(_id);
    // Those that only wait make room for the next, up to a limit.
    await waitFor('more of them', () => hanging.size > concurrency, 8_000);
    expect(await RunModel.countDocuments({ worker: { $gt: '' } })).toBeLessThanOrEqual(
      6 * concurrency,
    );
  },
  20_000,
);

test('expressions of one workspace hold up no other', async () => {
  const plan: Plan = {
    ...callsTo(),
    tasks: [
      {
        kind: 'set',
        name: 'compute',
        path: '/do/0/compute',
        value: { kind: 'expression', expression: { source: '$run', variables: ['run'] } },
      },
    ],
  };
  const release = new AbortController();
  for (let n = 0; n < 30; n++) await queueRun({ workspaceId: GREEDY });
  const worker = workerOf({
    plan,
    evaluator: {
      evaluate: async ({ variables }) => {
        const { workspaceId } = variables.run as { workspaceId: number };
        if (workspaceId === OTHER || release.signal.aborted) return 'fine';
        return new Promise((resolve) =>
          release.signal.addEventListener('abort', () => resolve('late')),
        );
      },
      test: async () => true,
    },
  });
  await started(worker);
  await waitFor(
    'the greedy',
    async () => (await RunModel.countDocuments({ worker: { $gt: '' } })) > 2,
  );
  const { _id } = await queueRun({ workspaceId: OTHER });
  worker.wake();
  await ended(_id);
  release.abort();
}, 20_000);

describe('a call', () => {
  const asked: number[] = [];
  const silent = {
    send: async ({ timeoutMs }: { timeoutMs: number }) => {
      asked.push(timeoutMs);
      throw new OutboundError('TIMEOUT', 'too long');
    },
    close: async () => undefined,
  } as OutboundClient;
  const effect = { kind: 'call-http', method: 'GET', url: 'http://x.test/', headers: {} } as const;
  const endOf = (deadline: number, timeoutMs?: number) =>
    outboundCall(
      silent,
      { ...effect, body: null, output: 'content' },
      {
        idempotencyKey: 'key',
        deadline,
        longestMs: longestCallMs(timeoutMs),
        signal: new AbortController().signal,
      },
    );

  test('takes a minute at most, or as long as its task may, up to ten', async () => {
    const hours = Date.now() + 3_600_000;
    const problem = { status: 408, title: 'TASK_TIMEOUT' };
    expect(await endOf(hours)).toMatchObject({ kind: 'failed', problem });
    await endOf(hours, 120_000);
    await endOf(hours, 3_000_000);
    expect(asked).toEqual([60_000, 120_000, 600_000]);
  });

  test('that meets the deadline of its task or run first is timed out by that', async () => {
    expect(await endOf(Date.now() + 5_000)).toEqual({ kind: 'timed-out' });
  });
});

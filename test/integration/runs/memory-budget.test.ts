import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { MemoryBudget } from '../../../services/runs/engine/admission/memory-budget.ts';
import { Reservation } from '../../../services/runs/engine/admission/reservation.ts';
import { shareOfRun } from '../../../services/runs/engine/admission/run-share.ts';
import { Slots } from '../../../services/runs/engine/admission/slots.ts';
import { Job, MemoryExceededError } from '../../../services/runs/engine/execution/job.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRuns, onRunsDatabase, queueRun, runOf, shareOf, workerOf } from './engine.ts';

const { started } = onRunsDatabase();

const MIB = 1024 * 1024;

const roomOf = (run: RunDocument, memory: MemoryBudget) =>
  new Reservation(shareOfRun(run), { slots: new Slots({ concurrency: 4 }), memory });

test('a run alone may always stay, and of several the one that came first', () => {
  const memory = new MemoryBudget(10 * MIB);
  const shares = [1, 2, 1].map((workspaceId) => memory.acquire(shareOf(workspaceId), 50 * MIB));
  expect(shares.map(({ exceedsBudget }) => exceedsBudget)).toEqual([false, true, true]);
  shares[0]?.release();
  expect(shares.map(({ exceedsBudget }) => exceedsBudget)).toEqual([false, false, true]);
  shares[1]?.release();
  expect(shares[2]?.exceedsBudget).toBe(false);
});

test('a run that finds no room takes none from those that go on', async () => {
  const memory = new MemoryBudget(40 * MIB);
  const others = Array.from({ length: 4 }, () => memory.acquire(shareOf(1), 5 * MIB));
  const doc = { ...(await queueRun({ workspaceId: 2 })), weight: 30 * MIB };
  const job = new Job(doc, 'me', () => true, roomOf(doc, memory));
  expect(() => job.assertMemory()).toThrow(MemoryExceededError);
  expect(others.some(({ exceedsBudget }) => exceedsBudget)).toBe(false);
});

test('what holds little may stay however full it is, but nothing is begun', () => {
  const memory = new MemoryBudget(10 * MIB);
  expect(memory.hasRoom).toBe(true);
  memory.acquire(shareOf(1), 50 * MIB);
  const light = memory.acquire(shareOf(2), 0);
  expect([light.exceedsBudget, memory.hasRoom]).toEqual([false, false]);
  light.setBytes(2 * MIB);
  expect(light.exceedsBudget).toBe(true);
});

test('an owner who takes all they may leaves room for another', () => {
  const memory = new MemoryBudget(40 * MIB);
  const taken = Array.from({ length: 16 }, () => memory.acquire(shareOf(1), 2 * MIB));
  expect(taken.filter(({ exceedsBudget }) => exceedsBudget).length).toBe(15);
  expect([1, 2].map((owner) => memory.mayTake(shareOf(owner)))).toEqual([false, true]);
  expect(memory.hasRoom).toBe(true);
  const other = memory.acquire(shareOf(2), 2 * MIB);
  expect(other.exceedsBudget).toBe(false);
  for (const share of taken.slice(7)) share.release();
  expect(taken.slice(0, 7).some(({ exceedsBudget }) => exceedsBudget)).toBe(false);
  expect(memory.mayTake(shareOf(1))).toBe(true);
});

test('runs that hold a lot go on one after another, and make no call twice', async () => {
  const sent: string[] = [];
  let holding = 0;
  let most = 0;
  const queued = newRuns(6);
  await RunModel.insertMany(queued, { lean: true });
  await started(
    workerOf({
      plan: callsTo('/large', '/next'),
      memoryBytes: 4 * MIB,
      send: async ({ url, ownHeaders }) => {
        sent.push(`${ownHeaders?.['idempotency-key']}`);
        if (url.endsWith('/large')) return Array.from({ length: 100_000 }, () => ({}));
        most = Math.max(most, ++holding);
        await new Promise((resolve) => setTimeout(resolve, 50));
        holding--;
        return 'fine';
      },
    }),
  );
  await waitFor('all ends', async () => !(await RunModel.exists({ live: true })), 20_000);
  const runs = await Promise.all(queued.map(({ _id }) => runOf(_id)));
  expect(runs.map(({ status, error }) => error ?? status)).toEqual(Array(6).fill('SUCCESS'));
  expect(runs.some(({ backoff }) => backoff !== undefined)).toBe(true);
  expect(new Set(sent).size).toBe(12);
  expect(sent).toHaveLength(12);
  expect(most).toBe(1);
});

test('what a run held before counts from its claim, until a replay has caught up with it', async () => {
  const memory = new MemoryBudget(10 * MIB);
  const job = async (weight: number) => {
    const doc = await queueRun({ weight });
    return new Job(doc, 'me', () => true, roomOf(doc, memory));
  };
  const [first, second] = [await job(50 * MIB), await job(50 * MIB)];
  first.assertMemory();
  expect(() => second.assertMemory()).toThrow(MemoryExceededError);
  first.holdMemory(0, true);
  expect(() => second.holdMemory(0, true)).toThrow(MemoryExceededError);
  second.holdMemory(0, false);
  first.holdMemory(0, false);
  expect([first, second].map(({ memory: share }) => share.isHeavy)).toEqual([false, false]);
});

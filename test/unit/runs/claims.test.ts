import { z } from 'zod';
import { shareOfWorkspace } from '../../../mixins/share.ts';
import { RunModel } from '../../../models/run.model.ts';
import { type ClaimLimits, Claims } from '../../../services/runs/worker/claim.ts';
import { SEEK_MS, SNAPSHOT_MS } from '../../../services/runs/worker/ready-list.ts';
import { CLAIM_ORDER } from '../../../services/runs/worker/ready-runs.ts';
import { SNAPSHOT_RUNS } from '../../../services/runs/worker/ready-snapshot.ts';
import { shareOfRun } from '../../../services/runs/worker/run-share.ts';
import { Slots } from '../../../services/runs/worker/slots.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

const claims = (
  perWorkspace = 100,
  capacity = 16,
  more: Partial<ClaimLimits> = {},
  now?: () => number,
) =>
  new Claims(
    () => 'me',
    {
      perWorkspace,
      capacity: () => capacity,
      here: [new Slots({ concurrency: 100 })],
      ...more,
    },
    now,
  );

/** Claims until nothing is left; in which workspaces. */
async function order(turns: Claims): Promise<number[]> {
  const workspaceIds: number[] = [];
  for (;;) {
    const run = await turns.next();
    if (!run) return workspaceIds;
    workspaceIds.push(run.workspaceId);
  }
}

const queueRuns = async (workspaceIds: number[], shareOwner?: string): Promise<void> => {
  for (const workspaceId of workspaceIds) {
    await queueRun({ workspaceId, ...(shareOwner ? { shareOwner } : {}) });
  }
};

test('owners take turns, however many runs one of them has', async () => {
  await queueRuns([7, 7, 7, 7, 7, 7, 8, 9, 9]);
  expect(await order(claims())).toEqual([7, 8, 9, 7, 9, 7, 7, 7, 7]);
});

test('an owner takes no more turns with many workspaces, and the workspaces take turns in theirs', async () => {
  await queueRuns([1, 1, 1, 2, 3, 3, 4], 'person:1');
  await queueRuns([9, 9, 9], 'person:2');
  expect(await order(claims())).toEqual([1, 9, 2, 9, 3, 9, 4, 1, 3, 1]);
});

test('owners come by how much they have used, and all of them come', async () => {
  await queueRuns([1, 2, 3, 4]);
  await queueRuns([2, 3, 4]);
  const levelOf = (owner: string) => ({ 'person:2': 5, 'person:3': 0, 'person:4': 2 })[owner] ?? 0;
  const turns = claims(100, 16, { levelOf });
  expect((await turns.next())?.workspaceId).toBe(1);
  expect(await order(turns)).toEqual([3, 3, 4, 4, 2, 2]);
});

test('of twenty-four owners who used about the same and a newcomer, the newcomer is claimed next', async () => {
  const slots = new Slots({ concurrency: 16, levelOf });
  function levelOf(owner: string) {
    return owner === 'person:99' ? 0 : 4;
  }
  for (let n = 1; n <= 24; n++) await queueRuns([n, n]);
  const turns = claims(100, 16, { here: [slots], levelOf });
  const take = async () => {
    turns.noteReady();
    const claimed = await turns.next();
    if (claimed) slots.acquire(shareOfRun(claimed));
    return claimed?.workspaceId;
  };
  const taken = new Set<number | undefined>();
  for (let n = 0; n < 15; n++) taken.add(await take());
  expect(taken.size).toBe(15); // each another owner's
  expect(await take()).toBeUndefined(); // the last slot is kept
  await queueRuns([99]);
  expect(await take()).toBe(99);
});

test('runs of an older version, which name no owner, take a turn together', async () => {
  await queueRuns([5, 5, 6]);
  await RunModel.updateMany({}, { $unset: { shareOwner: 1 } });
  await queueRuns([1, 1, 2]);
  expect(await order(claims())).toEqual([5, 1, 2, 6, 1, 5]);
  await queueRuns([5, 6]);
  await RunModel.updateMany({ ready: true }, { $unset: { shareOwner: 1 } });
  expect((await order(claims())).toSorted()).toEqual([5, 6]);
});

test('who holds nothing here is claimed before the ten thousand runs of who holds all they may', async () => {
  const slots = new Slots({ concurrency: 4 });
  const { _id, ...run } = await queueRun({ shareOwner: 'person:1' });
  const runs = Array.from({ length: 10_000 }, (_, n) => ({
    ...run,
    _id: _id + n + 1,
    workspaceId: 1 + (n % 100),
  }));
  await RunModel.insertMany(runs, { lean: true });
  const turns = claims(100, 16, { here: [slots] });
  const take = async () => {
    turns.noteReady();
    const claimed = await turns.next();
    if (claimed) slots.acquire(shareOfRun(claimed));
    return claimed?.workspaceId;
  };
  expect([await take(), await take(), await take()]).toEqual([1, 2, 3]);
  expect(await take()).toBeUndefined();
  await queueRun({ _id: _id + 20_000, workspaceId: 500 });
  expect(await take()).toBe(500);

  const listed = await explained(
    RunModel.find({ ready: true }).sort(CLAIM_ORDER).limit(SNAPSHOT_RUNS),
  );
  expect(listed.executionStats.totalKeysExamined).toBeLessThanOrEqual(SNAPSHOT_RUNS);
  for (const query of [
    RunModel.find({ ready: true, shareOwner: { $gt: 'person:1' } }),
    RunModel.find({ ready: true, shareOwner: 'person:1', workspaceId: { $gt: 50 } }),
    RunModel.find({ ready: true, shareOwner: 'person:1', workspaceId: 70 }),
  ]) {
    const { executionStats } = await explained(query.sort(CLAIM_ORDER).limit(1));
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(2);
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(2);
  }
}, 60_000);

const Explained = z.object({
  executionStats: z.object({ totalKeysExamined: z.number(), totalDocsExamined: z.number() }),
});
const explained = async (query: { explain(verbosity: 'executionStats'): PromiseLike<unknown> }) =>
  Explained.parse(await query.explain('executionStats'));

test('a look lists ready runs for the claims that follow, until there is news', async () => {
  await queueRuns([1, 2, 3, 3]);
  const finds = jest.spyOn(RunModel, 'find');
  const turns = claims();
  expect(await order(turns)).toEqual([1, 2, 3, 3]);
  expect(await order(turns)).toEqual([]);
  expect(finds).toHaveBeenCalledTimes(1);
  await queueRuns([4]);
  expect(await turns.next()).toBeNull();
  turns.noteReady();
  expect((await turns.next())?.workspaceId).toBe(4);
  finds.mockRestore();
});

test('a newcomer who has used less is claimed after a tenth of a second, whatever a look listed', async () => {
  let now = 0;
  const levelOf = (owner: string) => (owner === 'person:9' ? 0 : 3);
  const turns = claims(100, 16, { levelOf }, () => now);
  await queueRuns([1, 2, 3, 1, 2, 3]);
  expect((await turns.next())?.workspaceId).toBe(1);
  await queueRuns([9]);
  turns.noteReady();
  expect((await turns.next())?.workspaceId).toBe(2);
  now = SNAPSHOT_MS + 1;
  expect((await turns.next())?.workspaceId).toBe(9);
});

test('once ready runs are few again they are listed again', async () => {
  let now = 0;
  const turns = claims(100, 16, {}, () => now);
  await queueRuns(Array.from({ length: SNAPSHOT_RUNS + 5 }, (_, n) => n + 1));
  const finds = jest.spyOn(RunModel, 'find');
  for (let n = 1; n <= 10; n++) expect(await turns.next()).not.toBeNull();
  now = SEEK_MS + 1;
  expect(await order(turns)).toHaveLength(SNAPSHOT_RUNS - 5);
  expect(finds).toHaveBeenCalledTimes(2);
  finds.mockRestore();
});

test('a newcomer is claimed at once while all that a look listed may not be', async () => {
  const slots = new Slots({ concurrency: 4 });
  await queueRuns([1, 1, 1, 1, 1]);
  const turns = claims(100, 16, { here: [slots] });
  for (let run = await turns.next(); run; run = await turns.next()) slots.acquire(shareOfRun(run));
  expect(slots.mayTake(shareOfWorkspace('person:1', 1))).toBe(false);
  await queueRuns([2]);
  turns.noteReady();
  expect((await turns.next())?.workspaceId).toBe(2);
});

test('two workers that list the same runs claim each once', async () => {
  const workspaceIds = Array.from({ length: 60 }, (_, n) => 1 + (n % 7));
  await queueRuns(workspaceIds);
  const claimed = await Promise.all([order(claims()), order(claims())]);
  expect(claimed.flat().toSorted()).toEqual(workspaceIds.toSorted());
  expect(claimed.map(({ length }) => length > 0)).toEqual([true, true]);
});

test('in a workspace the oldest run is first: what has begun goes on before what is queued', async () => {
  const begun = await queueRun({
    status: 'WAITING',
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  await queueRun();
  const first = await claims().next();
  expect(first).toMatchObject({
    _id: begun._id,
    status: 'RUNNING',
    worker: 'me',
    fence: 1,
    startedAt: new Date(5),
    deadlineAt: new Date(9),
  });
  expect(first).not.toHaveProperty('ready');
});

test('a first claim starts the run and its timeout', async () => {
  await queueRun({ timeoutMs: 5_000 });
  const before = Date.now();
  const run = await claims().next();
  expect(Number(run?.deadlineAt) - Number(run?.startedAt)).toBe(5_000);
  expect(Number(run?.startedAt)).toBeGreaterThanOrEqual(before);
  expect(Number(run?.startedAt)).toBeLessThanOrEqual(Date.now());
});

test('a workspace has no more runs under way than it may, and holds up nobody else', async () => {
  for (let n = 0; n < 4; n++) await queueRun({ workspaceId: 1 });
  await queueRun({ workspaceId: 2 });
  const limited = claims(2);
  expect(await order(limited)).toEqual([1, 2, 1]);
  await RunModel.updateOne({ workspaceId: 1, worker: 'me' }, { status: 'WAITING' });
  expect((await limited.next())?.workspaceId).toBe(1); // those that wait do not count
});

test('a run that its worker lost does not stand in its own way', async () => {
  await queueRun({ status: 'RUNNING' });
  expect(await claims(1).next()).not.toBeNull();
});

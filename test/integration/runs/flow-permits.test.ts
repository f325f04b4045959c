import { databaseCommand } from '../../../mixins/database/commands.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { cancelRun } from '../../../services/runs/cancel-run.ts';
import { Waker } from '../../../services/runs/engine/claims/waker.ts';
import { endOverdueRuns } from '../../../services/runs/engine/lease/overdue-runs.ts';
import { FlowPermits } from '../../../services/runs/engine/permits/flow-permits.ts';
import { grantPermits } from '../../../services/runs/engine/permits/grant-permits.ts';
import { handOverPermit } from '../../../services/runs/engine/permits/hand-over.ts';
import { getBacklog } from '../../../services/runs/live-runs.ts';
import { captureCommands, examinedBy } from '../../helpers/captured-commands.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { newRun, notify, onRunsDatabase, queueRun, runOf, silentListeners } from './engine.ts';

databaseCommand.subscribe(() => undefined); // so that the driver tells of its commands
onRunsDatabase();

/** A run of a flow with a limit, as a start stores it. */
const limitedRun = (concurrency: number, fields: Partial<RunDocument> = {}): RunDocument =>
  newRun({ concurrency, permitRequestedAt: new Date(), ...fields });
async function queueLimited(count: number, concurrency: number, fields = {}): Promise<number[]> {
  const runs = Array.from({ length: count }, () => limitedRun(concurrency, fields));
  await RunModel.insertMany(runs, { lean: true });
  return runs.map(({ _id }) => _id);
}
const permitted = () =>
  RunModel.find({ permit: { $gte: 0 } })
    .sort({ _id: 1 })
    .lean();

test('many grants that meet give each permit once, to the runs that wait longest', async () => {
  const ids = await queueLimited(40, 3);
  const other = await queueLimited(2, 1, { flowId: 2 });
  const granted = await Promise.all(Array.from({ length: 8 }, () => grantPermits(1)));
  expect(granted.reduce((sum, runs) => sum + runs)).toBe(3);
  const runs = await permitted();
  expect(runs).toMatchObject([0, 1, 2].map((permit) => ({ _id: ids[permit], permit })));
  expect(
    runs.every(({ ready, readyAt, permitRequestedAt }) => ready && readyAt && !permitRequestedAt),
  ).toBe(true);
  await RunModel.updateMany({ _id: other[0] }, { $unset: { permitRequestedAt: 1 } });
  await expect(RunModel.updateOne({ _id: ids[5] }, { permit: 1 })).rejects.toThrow('E11000');
});

test('a freed permit goes to the longest wait, unless the permits in use have to be counted', async () => {
  const [first = 0, second = 0] = await queueLimited(3, 2);
  const freed = { flowId: 1, concurrency: 2, permit: 1 };
  const handed = await Promise.all([handOverPermit(freed), handOverPermit(freed)]);
  expect(handed.toSorted()).toEqual(['granted', 'none']);
  expect((await permitted()).map(({ _id, permit }) => [_id, permit])).toEqual([[first, 1]]);
  await RunModel.updateOne({ _id: first }, { permit: 5 }); // a run of a version with a larger limit
  expect(await handOverPermit(freed)).toBe('unclear');
  await RunModel.deleteOne({ _id: first });
  expect(await handOverPermit({ ...freed, concurrency: 3 })).toBe('unclear');
  expect(await handOverPermit(freed)).toBe('granted');
  expect((await runOf(second)).permit).toBe(1);
  expect(await handOverPermit({ ...freed, flowId: 2 })).toBe('none');
});

test('a sweep makes up for lost offers, in turns of owners', async () => {
  for (let flowId = 1; flowId <= 30; flowId++) await queueLimited(1, 1, { flowId, workspaceId: 1 });
  await queueLimited(1, 1, { flowId: 100, workspaceId: 2 });
  const granted = jest.fn();
  const onError = jest.fn();
  const permits = new FlowPermits({ onGranted: granted, onError });
  await permits.sweep();
  expect(await RunModel.exists({ flowId: 100, ready: true })).toBeTruthy();
  for (let sweeps = 0; sweeps < 3; sweeps++) await permits.sweep();
  expect(await RunModel.countDocuments({ ready: true })).toBe(31);
  expect(granted).toHaveBeenCalledTimes(31);
  expect(onError).not.toHaveBeenCalled();
});

test('the run that waited and has no permit yet ends at its deadline, or by a cancel at once', async () => {
  const past = new Date(Date.now() - 60_000);
  const fields = { status: 'WAITING', startedAt: past } as const;
  const [late = 0, cancelled = 0] = [
    ...(await queueLimited(1, 1, { ...fields, deadlineAt: past })),
    ...(await queueLimited(1, 1)),
  ];
  expect(await endOverdueRuns()).toEqual([late]);
  await cancelRun({ _id: cancelled, workspaceId: 1 }, changeContext(), silentListeners);
  const ended = await Promise.all([late, cancelled].map(runOf));
  expect(ended.map(({ status }) => status)).toEqual(['TIMED_OUT', 'CANCELLED']);
  for (const run of ended) expect(run).not.toHaveProperty('permitRequestedAt');
  expect(await grantPermits(1)).toBe(0);
});

test('a notification makes a run with a limit wait for a permit, and counts once', async () => {
  const run = await queueRun({
    status: 'WAITING',
    concurrency: 1,
    awaits: ['signal:go'],
    wakeAt: new Date(Date.now() + 60_000),
  });
  expect(await notify(run._id, 'signal:other')).toBe('onNotified');
  expect(await notify(run._id, 'signal:go')).toBe('onPermitRequested');
  const woken = await runOf(run._id);
  expect([woken.wakeups, woken.ready, woken.wakeAt]).toEqual([2, undefined, undefined]);
  expect(woken.permitRequestedAt).toBeInstanceOf(Date);
  expect(await grantPermits(1)).toBe(1);
});

test('of the due runs of flows with a limit, a postponed one keeps its permit and a waiting one asks for one', async () => {
  const due = { concurrency: 1, wakeAt: new Date(Date.now() - 1_000) };
  const postponed = await queueRun({ ...due, status: 'RUNNING', permit: 0 });
  const waiting = await queueRun({ ...due, status: 'WAITING' });
  const waker = new Waker({ onWoken: () => undefined, onError: jest.fn() });
  await waker.wakeDueRuns();
  waker.stop();
  expect(await runOf(postponed._id)).toMatchObject({ ready: true, permit: 0 });
  expect(await grantPermits(1)).toBe(0);
  const asking = await runOf(waiting._id);
  expect([asking.ready, asking.wakeAt, asking.permit]).toEqual([undefined, undefined, undefined]);
  expect(asking.permitRequestedAt).toBeInstanceOf(Date);
});

test('runs without a permit are no backlog of the workers', async () => {
  await queueLimited(2, 1);
  expect((await getBacklog()).waitingSince).toBeNull();
  await grantPermits(1);
  expect((await getBacklog()).waitingSince).not.toBeNull();
});

test('a grant costs the same among a hundred waiting runs and among ten thousand', async () => {
  const costs = [];
  for (const more of [100, 9_900]) {
    await queueLimited(more, 2);
    const captured = captureCommands();
    await grantPermits(1);
    await new FlowPermits({ onGranted: () => undefined, onError: () => undefined }).sweep();
    captured.stop();
    await RunModel.updateMany({ permit: { $gte: 0 } }, { $unset: { permit: 1, ready: 1 } });
    const examined = await Promise.all(captured.all.map(examinedBy));
    for (const { keys, documents } of examined)
      expect([keys <= 65, documents <= 65]).toEqual([true, true]);
    costs.push(captured.all.map(({ name }) => name));
  }
  expect(costs[1]).toEqual(costs[0]);
});

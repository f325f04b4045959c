import type { Task } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { Families } from '../../../services/runs/engine/children/families.ts';
import { runInTurn } from '../../../services/runs/engine/execution/effects/turn-wait.ts';
import { executeRun } from '../../../services/runs/engine/execution/execute-run.ts';
import {
  type ChildrenCalls,
  JobChildren,
} from '../../../services/runs/engine/execution/job-children.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import {
  begunAt,
  claimedJob,
  endOf,
  newRun,
  noChildren,
  onRunsDatabase,
  planOf,
  queueRun,
  runOf,
  storeRun,
  toolsOf,
  waitOf,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const TASK_MS = 5_000;
const runTask: Task = {
  kind: 'run',
  name: 'child',
  path: '/do/0/child',
  flow: 'other',
  version: 'latest',
  timeoutMs: TASK_MS,
};
/** A run whose task `run` had its deadline 5 s ago, and its child run, which has ended `ms` after the deadline. */
async function lateRun(ms: number, end: Partial<RunDocument>): Promise<RunDocument> {
  const begun = begunAt(new Date(Date.now() - 2 * TASK_MS), runTask.path);
  const run = await queueRun({ ...begun, hasChildren: true });
  const { live, ready, ...child } = newRun({
    parent: { runId: run._id, key: '/do/0/child//1/1', depth: 1 },
    isChild: true,
    completedAt: new Date(Number(run.startedAt) + TASK_MS + ms),
    ...end,
  });
  await storeRun(child as RunDocument);
  return run;
}

describe('a worker that looks after the deadline of a task that runs a flow', () => {
  test.each([-100, 0])('takes the output of a child run that ended at %d ms', async (ms) => {
    const run = await lateRun(ms, { status: 'SUCCESS', output: '"done"' });
    await started(workerOf({ plan: planOf(runTask) }));
    expect(await endOf(run)).toMatchObject({ status: 'SUCCESS', output: '"done"' });
  });

  test('starts no child run', async () => {
    const run = await queueRun(begunAt(new Date(Date.now() - 2 * TASK_MS), runTask.path));
    await started(workerOf({ plan: planOf(runTask) }));
    expect(JSON.parse((await endOf(run)).error ?? '')).toMatchObject({ title: 'TASK_TIMEOUT' });
    expect(await runOf(run._id)).not.toHaveProperty('hasChildren');
  });

  test('takes the error of a child run that ended in time', async () => {
    const error = { type: 'about:blank', status: 422, title: 'NO', detail: 'no', instance: '' };
    const run = await lateRun(-100, { status: 'FAILED', error: JSON.stringify(error) });
    await started(workerOf({ plan: planOf(runTask) }));
    expect(JSON.parse((await endOf(run)).error ?? '')).toMatchObject({ title: 'NO' });
  });

  test.each(['SUCCESS', 'CANCELLED'] as const)(
    'fails where the child run was %s later',
    async (status) => {
      const run = await lateRun(1, { status, output: '"done"' });
      await started(workerOf({ plan: planOf(runTask) }));
      expect(JSON.parse((await endOf(run)).error ?? '')).toMatchObject({ title: 'TASK_TIMEOUT' });
    },
  );
});

describe('the child runs of a run that waits', () => {
  const ignore = () => undefined;
  const families = new Families({
    cancelListeners: { onEnded: ignore, onRequested: ignore },
    notificationListeners: { onReady: ignore, onPermitRequested: ignore, onNotified: ignore },
    onError: noChildren.onError,
  });
  const childrenCalls: ChildrenCalls = {
    ...noChildren,
    cancel: (child) => families.cancel(child),
    findAbandoned: (runId, awaited) => families.findAbandoned(runId, awaited),
  };

  /** A live child run, which a task of the run has started. */
  async function storeChild(runId: number, key: string): Promise<number> {
    const child = newRun({ parent: { runId, key, depth: 1 }, isChild: true });
    await storeRun(child);
    return child._id;
  }

  const plan = waitOf(60_000);
  const parentRun = () => claimedJob({ fence: 2, hasChildren: true });

  test('are cancelled where the run waits for none of them, also those of an earlier worker', async () => {
    const parent = await parentRun();
    const runId = parent.run.doc._id;
    const childId = await storeChild(runId, '/do/7/first//1/1');
    const end = await executeRun(parent, toolsOf({ plan, children: childrenCalls }));
    expect(end.kind).toBe('waiting');
    expect(await runOf(childId)).toMatchObject({ status: 'CANCELLED' });
    expect(await runOf(runId)).toMatchObject({ status: 'WAITING' });
  });

  test('are not started after the deadline of their task, however long the start waits for its turn', async () => {
    const { run } = await parentRun();
    const start = jest.fn();
    const never = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the wait was aborted')));
      });
    const children = new JobChildren(run, { ...noChildren, start }, (wait, begin) =>
      runInTurn(wait, never, begin),
    );
    const wait = {
      deadline: databaseClock.now() + 50,
      signal: new AbortController().signal,
    };
    const effect = { kind: 'run', flow: 'other', version: 'latest', input: 'null' } as const;
    expect(await children.findOrStart('/do/0/first//1/1', effect, wait)).toBeNull();
    expect(start).not.toHaveBeenCalled();
  });

  test('are not cancelled by a worker that was overtaken', async () => {
    const parent = await parentRun();
    const runId = parent.run.doc._id;
    let childId = 0;
    const children: ChildrenCalls = {
      ...childrenCalls,
      async findAbandoned(...given) {
        await takeOverRuns('me', runId);
        await RunModel.updateOne({ _id: runId }, { worker: 'other', $inc: { fence: 1 } });
        childId = await storeChild(runId, '/do/7/first//1/1');
        return childrenCalls.findAbandoned(...given);
      },
    };
    const end = await executeRun(parent, toolsOf({ plan, children }));
    expect(end.kind).toBe('released');
    expect(await runOf(childId)).toMatchObject({ status: 'QUEUED' });
    expect(await runOf(runId)).toMatchObject({ status: 'RUNNING', worker: 'other' });
  });
});

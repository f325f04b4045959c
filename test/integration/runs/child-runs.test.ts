import type { Plan, Task } from '@workspace-automation/flow-language';
import { pino } from 'pino';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { Families } from '../../../services/runs/engine/children/families.ts';
import { AnswerQueue } from '../../../services/runs/engine/execution/effects/answer-queue.ts';
import { CallQueue } from '../../../services/runs/engine/execution/effects/call-queue.ts';
import { runInTurn } from '../../../services/runs/engine/execution/effects/turn-wait.ts';
import { executeRun } from '../../../services/runs/engine/execution/execute-run.ts';
import { Job } from '../../../services/runs/engine/execution/job.ts';
import {
  type ChildrenCalls,
  JobChildren,
} from '../../../services/runs/engine/execution/job-children.ts';
import { LeasedRun } from '../../../services/runs/engine/lease/leased-run.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  begunAt,
  callsTo,
  clientOf,
  newRun,
  noAssistant,
  noChildren,
  noConnections,
  noIssues,
  onRunsDatabase,
  queueRun,
  runOf,
  storeRun,
  waitOf,
  workerOf,
} from './engine.ts';

const { started } = onRunsDatabase();

const planOf = (...tasks: Task[]): Plan => ({ ...callsTo(), tasks });
const TASK_MS = 5_000;
const runTask: Task = {
  kind: 'run',
  name: 'child',
  path: '/do/0/child',
  flow: 'other',
  version: 'latest',
  timeoutMs: TASK_MS,
};
const endOf = (run: RunDocument) =>
  waitFor('the end', async () => {
    const now = await runOf(run._id);
    return now.live ? null : now;
  });

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

  /** Executes a run, which the worker `me` has claimed, until it waits. */
  async function executeParent(runId: number, children: ChildrenCalls) {
    const { ready: _, ...run } = await runOf(runId);
    return executeRun(new Job(run, 'me', () => true), {
      evaluator: { evaluate: noEvaluation, test: noEvaluation },
      outbound: clientOf(async () => null),
      connections: noConnections,
      issues: noIssues,
      assistant: noAssistant,
      children,
      calls: new CallQueue(),
      answers: new AnswerQueue(),
      planOf: async () => waitOf(60_000),
      logger: pino({ level: 'silent' }),
    });
  }
  const noEvaluation = () => Promise.reject(new Error('there are no expressions here'));
  const parentRun = async () => {
    const run = await queueRun({
      status: 'RUNNING',
      worker: 'me',
      fence: 2,
      startedAt: new Date(),
      hasChildren: true,
    });
    await RunModel.updateOne({ _id: run._id }, { $unset: { ready: 1 } });
    return run._id;
  };

  test('are cancelled where the run waits for none of them, also those of an earlier worker', async () => {
    const runId = await parentRun();
    const childId = await storeChild(runId, '/do/7/first//1/1');
    expect(await executeParent(runId, childrenCalls)).toMatchObject({ kind: 'waiting' });
    expect(await runOf(childId)).toMatchObject({ status: 'CANCELLED' });
    expect(await runOf(runId)).toMatchObject({ status: 'WAITING' });
  });

  test('are not started after the deadline of their task, however long the start waits for its turn', async () => {
    const run = new LeasedRun(await runOf(await parentRun()), 'me', new AbortController().signal);
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
    const runId = await parentRun();
    let childId = 0;
    const end = await executeParent(runId, {
      ...childrenCalls,
      async findAbandoned(...given) {
        await takeOverRuns('me', runId);
        await RunModel.updateOne({ _id: runId }, { worker: 'other', $inc: { fence: 1 } });
        childId = await storeChild(runId, '/do/7/first//1/1');
        return childrenCalls.findAbandoned(...given);
      },
    });
    expect(end.kind).toBe('released');
    expect(await runOf(childId)).toMatchObject({ status: 'QUEUED' });
    expect(await runOf(runId)).toMatchObject({ status: 'RUNNING', worker: 'other' });
  });
});

import type { Plan, Task } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type ParentTask, type RunDocument, RunModel } from '../../../models/run.model.ts';
import { Families } from '../../../services/runs/engine/children/families.ts';
import { runInTurn } from '../../../services/runs/engine/execution/effects/turn-wait.ts';
import { executeRun } from '../../../services/runs/engine/execution/execute-run.ts';
import type { Job } from '../../../services/runs/engine/execution/job.ts';
import {
  type ChildrenCalls,
  JobChildren,
  type StartInTurn,
} from '../../../services/runs/engine/execution/job-children.ts';
import { Heartbeat } from '../../../services/runs/engine/lease/heartbeat.ts';
import { NO_ENTRIES } from '../../../services/runs/engine/lease/leased-run.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  begunAt,
  CLAIMED,
  callsTo,
  claimedJob,
  endOf,
  errorOf,
  newChild,
  noChildren,
  onError,
  onRunsDatabase,
  planOf,
  queueRun,
  runOf,
  type Send,
  silentListeners,
  silentNotifications,
  storeRun,
  toolsOf,
  untilAborted,
  waitOf,
  workerOf,
} from './engine.ts';

const fixture = onRunsDatabase();
const { started, hang } = fixture;

const TASK_MS = 5_000;
const runTask: Task = {
  kind: 'run',
  name: 'child',
  path: '/do/0/child',
  flow: 'other',
  version: 'latest',
  timeoutMs: TASK_MS,
};

const DONE = { status: 'SUCCESS', output: '"done"' } as const;

describe('a worker that looks after the deadline of a task that runs a flow', () => {
  const begun = () => begunAt(new Date(Date.now() - 2 * TASK_MS), runTask.path);
  const NO = { type: 'about:blank', status: 422, title: 'NO', detail: 'no', instance: '' };

  test.each<[string, number, Partial<RunDocument>, string | undefined]>([
    ['takes the output of a child run that ended in time', -100, DONE, undefined],
    ['takes the output of a child run that ended at the deadline', 0, DONE, undefined],
    ['takes the error', -100, { status: 'FAILED', error: JSON.stringify(NO) }, 'NO'],
    ['fails where the child run succeeded later', 1, DONE, 'TASK_TIMEOUT'],
    ['fails where the child run was cancelled later', 1, { status: 'CANCELLED' }, 'TASK_TIMEOUT'],
  ])('%s', async (_, ms, end, title) => {
    const run = await queueRun({ ...begun(), hasChildren: true });
    const completedAt = new Date(Number(run.startedAt) + TASK_MS + ms);
    await storeRun(newChild(run._id, { completedAt, ...end }));
    await started(workerOf({ plan: planOf(runTask) }));
    const ended = await endOf(run);
    if (title) expect(errorOf(ended)).toMatchObject({ title });
    else expect(ended).toMatchObject(DONE);
  });

  test('starts no child run', async () => {
    const run = await queueRun(begun());
    await started(workerOf({ plan: planOf(runTask) }));
    const ended = await endOf(run);
    expect(errorOf(ended)).toMatchObject({ title: 'TASK_TIMEOUT' });
    expect(ended).not.toHaveProperty('hasChildren');
  });
});

describe('the child runs of a run that waits', () => {
  const families = new Families({
    cancelListeners: silentListeners,
    notificationListeners: silentNotifications,
    passToParent: async () => false,
    onError,
  });
  const childrenCalls: ChildrenCalls = {
    ...noChildren,
    cancel: (child) => families.cancel(child),
    findAbandoned: (runId, awaited) => families.findAbandoned(runId, awaited),
  };

  /** A live child run, which a task of the run has started. */
  async function storeChild(runId: number): Promise<number> {
    const child = newChild(runId);
    await storeRun(child);
    return child._id;
  }

  const plan = waitOf(60_000);
  const parentRun = () => claimedJob({ fence: 2, hasChildren: true });

  test('are cancelled where the run waits for none of them, also those of an earlier worker', async () => {
    const parent = await parentRun();
    const runId = parent.run.doc._id;
    const childId = await storeChild(runId);
    const end = await executeRun(parent, toolsOf({ plan, children: childrenCalls }));
    expect(end.kind).toBe('waiting');
    expect(await runOf(childId)).toMatchObject({ status: 'CANCELLED' });
    expect(await runOf(runId)).toMatchObject({ status: 'WAITING' });
  });

  test('are not started after the deadline of their task, however long the start waits for its turn', async () => {
    const { run, endedChildren } = await parentRun();
    const start = jest.fn();
    const inTurn: StartInTurn = (wait, begin) => runInTurn(wait, untilAborted, begin);
    const children = new JobChildren(run, { ...noChildren, start }, inTurn, endedChildren);
    const wait = { deadline: databaseClock.now() + 50, signal: new AbortController().signal };
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
        childId = await storeChild(runId);
        return childrenCalls.findAbandoned(...given);
      },
    };
    const end = await executeRun(parent, toolsOf({ plan, children }));
    expect(end.kind).toBe('released');
    expect(await runOf(childId)).toMatchObject({ status: 'QUEUED' });
    expect(await runOf(runId)).toMatchObject({ status: 'RUNNING', worker: 'other' });
  });
});

const PATH = '/do/0/race';
const { timeoutMs: _, ...loses } = { ...runTask, name: 'loses' };
const wins = { ...callsTo('/wins').tasks[0], name: 'wins' } as Task;
/** A race of a child run and a call, before a task that waits. */
const racePlan: Plan = {
  ...callsTo(),
  tasks: [
    {
      kind: 'fork',
      name: 'race',
      path: PATH,
      compete: true,
      branches: [loses as Task, wins].map((task, at) => ({
        ...task,
        path: `${PATH}/fork/branches/${at}/${task.name}`,
      })),
    },
    { kind: 'wait', name: 'rest', path: '/do/1/rest', durationMs: 60_000 },
  ],
};

/** Starts a worker, and a run whose race ends as soon as the child run has been started and `send` answers. */
async function race(
  send: Send,
  calls: Partial<ChildrenCalls>,
  { maxSleepMs = 60_000, plan = racePlan }: { maxSleepMs?: number; plan?: Plan } = {},
) {
  const isStarted = Promise.withResolvers<void>();
  const children: ChildrenCalls = {
    ...noChildren,
    async start({ _id }, key) {
      const child = newChild(_id, { ...CLAIMED, worker: 'other' }, key);
      await storeRun(child);
      isStarted.resolve();
      return child;
    },
    ...calls,
  };
  const answer: Send = (request) => isStarted.promise.then(() => send(request));
  const worker = await started(workerOf({ plan, send: answer, children, maxSleepMs }));
  const run = await queueRun();
  worker.wake();
  return { worker, run };
}

/** The id of a child run that only a suspension finds. */
const ABANDONED = 0;

describe('the child runs of tasks that have timed out, or that another branch has ended,', () => {
  test.each([
    ['by the fork', 60_000, (_id: number) => _id !== ABANDONED],
    ['by a suspension', 0, (_id: number) => _id === ABANDONED],
  ] as const)('are cancelled %s once the decision is durable', async (_, maxSleepMs, isMeant) => {
    const keys: string[][] = [];
    const calls: Partial<ChildrenCalls> = {
      findAbandoned: async () => [{ _id: ABANDONED }],
      cancel: async ({ _id }) => {
        if (isMeant(_id)) keys.push((await runOf(run._id)).journal.map(({ key }) => key));
      },
    };
    const { run } = await race(async () => null, calls, { maxSleepMs });
    await waitFor('the cancel', async () => keys.length > 0 || null);
    expect(keys[0]).toContain(`${PATH}//1/1#decided`);
  });

  test('are cancelled once the timeout of their task is durable', async () => {
    const keys: string[][] = [];
    const cancel = async () => {
      keys.push((await runOf(run._id)).journal.map(({ key }) => key));
    };
    const plan = planOf({ ...runTask, timeoutMs: 300 });
    const { run } = await race(async () => null, { cancel }, { plan });
    await waitFor('the cancel', async () => keys.length > 0 || null);
    expect(keys[0]).toContain(`${runTask.path}//1/1`);
  });

  test('are not cancelled by a worker that could not write the decision', async () => {
    const cancelled: number[] = [];
    let calls = 0;
    const { worker, run } = await race(
      async () => {
        calls += 1;
        if (calls > 1) return hang();
        await takeOverRuns(worker.id, run._id);
        return null;
      },
      { cancel: async ({ _id }) => void cancelled.push(_id) },
    );
    await waitFor('the end of the wait', async () => (await runOf(run._id)).fence >= 2 || null);
    worker.wake();
    await waitFor('the second call', async () => calls > 1 || null);
    expect(cancelled).toEqual([]);
  });
});

describe('the end of a child run in the process of its parent run', () => {
  const KEY = '/do/0/child//1/1';
  const effect = { kind: 'run', flow: 'other', version: 'latest', input: 'null' } as const;
  const { signal } = new AbortController();
  const wait = { deadline: Date.now() + 600_000, signal };

  /** A run whose task sleeps for a child run that ends meanwhile, and the ends of families in its process. */
  async function storeFamily(holdsLease = () => true) {
    const job = await claimedJob({ familyPending: true, hasChildren: true }, holdsLease);
    const runId = job.run.doc._id;
    const child = newChild(runId, { ...DONE, familyPending: true }, KEY) as RunDocument & {
      parent: ParentTask;
    };
    await storeRun(child);
    const woken = job.sleep(databaseClock.now() + 600_000, signal);
    const families = new Families({
      cancelListeners: silentListeners,
      notificationListeners: silentNotifications,
      passToParent: () => job.passChildEnd(child),
      onError,
    });
    families.announceEnd(child);
    const isCompleted = async () => !(await runOf(child._id)).familyPending || null;
    const childrenOf = (calls = noChildren) =>
      new JobChildren(job.run, calls, async (_, start) => start(), job.endedChildren);
    return { job, runId, child, woken, isCompleted, childrenOf };
  }

  test('reaches the task that sleeps for it, without a notification', async () => {
    const { job, runId, child, woken, isCompleted, childrenOf } = await storeFamily();
    expect(await woken).toBe('woken');
    const reads = jest.spyOn(RunModel, 'find');
    expect(await childrenOf().findOrStart(KEY, effect, wait)).toMatchObject({ _id: child._id });
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
    await waitFor('the completion', isCompleted);
    expect(await runOf(runId)).not.toHaveProperty('wakeups');
    expect(job.endedChildren.take(KEY)).toBeNull();
  });

  test.each<[string, (job: Job) => void]>([
    ['no task takes it', () => undefined],
    ['its run leaves the process', (job) => job.close()],
  ])('is a notification where %s', async (_, meanwhile) => {
    const { job, runId, isCompleted } = await storeFamily();
    meanwhile(job);
    await waitFor('the completion', isCompleted);
    expect(await runOf(runId)).toMatchObject({ wakeups: 1 });
    expect(job.endedChildren.take(KEY)).toBeNull();
  });

  test('is a notification where the worker no longer holds its lease', async () => {
    const { job, runId, isCompleted } = await storeFamily(() => false);
    expect(job.endedChildren.take(KEY)).toBeNull();
    await waitFor('the completion', isCompleted);
    expect(await runOf(runId)).toMatchObject({ wakeups: 1 });
    job.wake();
  });

  test('ends at once the next sleep of a run that was awake', async () => {
    const job = await claimedJob({ familyPending: true, hasChildren: true });
    const child = newChild(job.run.doc._id, DONE, KEY) as RunDocument & { parent: ParentTask };
    void job.passChildEnd(child);
    expect(await job.sleep(databaseClock.now() + 600_000, signal)).toBe('woken');
    const asleep = job.sleep(databaseClock.now() + 600_000, signal);
    void job.passChildEnd(child);
    expect(job.endedChildren.take(KEY)).toMatchObject({ _id: child._id });
    expect(await asleep).toBe('woken');
    expect(await job.sleep(databaseClock.now(), signal)).toBe('due'); // that end is no news any more
  });

  test('cancels the child runs of the child run at once', async () => {
    const { _id: parentId } = await queueRun();
    const child = newChild(parentId, { ...DONE, hasChildren: true, familyPending: true }, KEY);
    const grandchild = newChild(child._id);
    await Promise.all([child, grandchild].map(storeRun));
    const taken = Promise.withResolvers<boolean>();
    const families = new Families({
      cancelListeners: silentListeners,
      notificationListeners: silentNotifications,
      passToParent: () => taken.promise,
      onError,
    });
    families.announceEnd(child);
    await waitFor('the cancel', async () => !(await runOf(grandchild._id)).live || null);
    taken.resolve(true);
    await families.settle();
    expect(await runOf(child._id)).not.toHaveProperty('familyPending');
  });

  test('reaches a task that has begun to look for it before', async () => {
    const { child, isCompleted, childrenOf } = await storeFamily();
    const other = newChild(child.parent.runId, {}, KEY);
    const calls = { ...noChildren, start: async () => ({ ...other, _id: child._id }) };
    const looking = childrenOf(calls).findOrStart(KEY, effect, wait);
    expect(await looking).toMatchObject({ _id: child._id, status: 'SUCCESS' });
    await waitFor('the completion', isCompleted);
  });
});

describe('a child run is sure that its parent run is live', () => {
  const isSafe = async (
    meanwhile: (job: Job) => unknown = () => undefined,
    fields: Partial<RunDocument> = {},
    holdsLease = true,
  ) => {
    const job = await claimedJob(fields, () => holdsLease);
    await meanwhile(job);
    return job.isSafelyHeld;
  };

  test('only while its worker executes it and will not end it soon', async () => {
    expect(await isSafe()).toBe(true);
    expect(await isSafe((job) => job.interrupt('cancelled'))).toBe(false);
    expect(await isSafe((job) => job.drain())).toBe(false);
    expect(await isSafe(undefined, { timeoutMs: 4_000 })).toBe(false);
    expect(await isSafe(undefined, {}, false)).toBe(false);
    let isSafeDuringEnd = true;
    await isSafe((job) => {
      const ending = job.run.end({ status: 'SUCCESS' }, NO_ENTRIES);
      isSafeDuringEnd = job.isSafelyHeld;
      return ending;
    });
    expect(isSafeDuringEnd).toBe(false);
  });

  test('and while the worker was not away for so long that others could cancel it', async () => {
    let now = 0;
    const heartbeat = new Heartbeat(1, undefined, () => now);
    await heartbeat.register();
    expect(heartbeat.isFresh).toBe(true);
    now = 2_000;
    expect([heartbeat.isFresh, heartbeat.isStale]).toEqual([false, false]);
  });
});

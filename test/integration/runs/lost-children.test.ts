/** The child runs of tasks that have timed out, or that another branch has ended. */
import type { Plan, Task } from '@workspace-automation/flow-language';
import type { ChildrenCalls } from '../../../services/runs/engine/execution/job-children.ts';
import { takeOverRuns } from '../../../services/runs/engine/lease/takeover.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  callsTo,
  newRun,
  noChildren,
  onRunsDatabase,
  queueRun,
  runOf,
  type Send,
  storeRun,
  workerOf,
} from './engine.ts';

const fixture = onRunsDatabase();
const { started, hang } = fixture;

const PATH = '/do/0/race';
const [call] = callsTo('/wins').tasks;
const branches: Task[] = [
  { kind: 'run', name: 'loses', path: '', flow: 'child', version: 'latest' },
  { ...(call as Task), name: 'wins' },
];
/** A race of a child run and a call, before a task that waits. */
const racePlan: Plan = {
  ...callsTo(),
  tasks: [
    {
      kind: 'fork',
      name: 'race',
      path: PATH,
      compete: true,
      branches: branches.map((task, at) => ({
        ...task,
        path: `${PATH}/fork/branches/${at}/${task.name}`,
      })),
    },
    { kind: 'wait', name: 'rest', path: '/do/1/rest', durationMs: 60_000 },
  ],
};

/** Stores child runs that another worker executes. */
const start: ChildrenCalls['start'] = async ({ _id: runId }, key) => {
  const child = newRun({ status: 'RUNNING', worker: 'other', parent: { runId, key, depth: 1 } });
  const { ready: _, ...run } = child;
  await storeRun(run);
  return child;
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
    start: async (...given) => {
      const child = await start(...given);
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
  const [task] = branches;
  const plan = { ...racePlan, tasks: [{ ...(task as Task), path: '/do/0/loses', timeoutMs: 300 }] };
  const { run } = await race(async () => null, { cancel }, { plan });
  await waitFor('the cancel', async () => keys.length > 0 || null);
  expect(keys[0]).toContain('/do/0/loses//1/1');
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

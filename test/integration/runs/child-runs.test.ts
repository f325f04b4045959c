import type { Plan, Task } from '@workspace-automation/flow-language';
import type { RunDocument } from '../../../models/run.model.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, newRun, onRunsDatabase, queueRun, runOf, storeRun, workerOf } from './engine.ts';

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
  const run = await queueRun({
    startedAt: new Date(Date.now() - 2 * TASK_MS),
    hasChildren: true,
  });
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
    const run = await queueRun({ startedAt: new Date(Date.now() - 2 * TASK_MS) });
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

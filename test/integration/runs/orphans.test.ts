import type { RunDocument } from '../../../models/run.model.ts';
import { Orphans } from '../../../services/runs/starts/orphans.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  newExecution,
  newRun,
  onError,
  onRunsDatabase,
  runOf,
  silentListeners,
  storeRun,
} from './engine.ts';

onRunsDatabase();

test('runs of flows and workflows that were deleted meanwhile are cancelled', async () => {
  const runs = [
    newRun({ flowId: 1 }),
    newRun({ flowId: 2 }),
    newExecution({}, { workflowId: 1 }),
    newExecution({}, { workflowId: 2 }),
  ];
  await Promise.all(runs.map(storeRun));
  const findDeleted = async (id: number) => (id === 2 ? null : {});
  const orphans = new Orphans({
    findFlow: findDeleted,
    findWorkflow: findDeleted,
    cancelListeners: silentListeners,
    onError,
  });
  for (const run of runs) orphans.check(run);
  await orphans.stop();
  const statuses = await Promise.all(runs.map(async ({ _id }) => (await runOf(_id)).status));
  expect(statuses).toEqual(['QUEUED', 'CANCELLED', 'QUEUED', 'CANCELLED']);
});

test('a lookup that fails is repeated', async () => {
  const run = newRun();
  await storeRun(run);
  const failures: unknown[] = [];
  const findFlow = jest.fn(async (): Promise<object | null> => null);
  findFlow.mockRejectedValueOnce('away');
  const orphans = new Orphans({
    findFlow,
    findWorkflow: findFlow,
    cancelListeners: silentListeners,
    onError: (error) => failures.push(error),
  });
  orphans.check(run);
  await waitFor('the cancel', async () => (await runOf(run._id)).status === 'CANCELLED' || null);
  expect(failures).toEqual(['away']);
  await orphans.stop();
});

test('a run that is stored during a check is checked before the stop', async () => {
  const runs = [newRun(), newRun()];
  await Promise.all(runs.map(storeRun));
  const found = Promise.withResolvers<null>();
  const findFlow = jest.fn(() => found.promise);
  const orphans = new Orphans({
    findFlow,
    findWorkflow: findFlow,
    cancelListeners: silentListeners,
    onError,
  });
  const [first, second] = runs as [RunDocument, RunDocument];
  orphans.check(first);
  await waitFor('the check', () => findFlow.mock.calls.length === 1);
  orphans.check(second);
  const stopped = orphans.stop();
  found.resolve(null);
  await stopped;
  expect((await runOf(second._id)).status).toBe('CANCELLED');
});

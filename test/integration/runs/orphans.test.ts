import { Orphans } from '../../../services/runs/starts/orphans.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  newExecution,
  newRun,
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
    onError: (error) => {
      throw error;
    },
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

import { RunModel } from '../../../models/run.model.ts';
import { queuedRuns } from '../../../services/runs/quotas/start-quotas.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

it('counts the queued runs of a workspace, no further than it needs to know', async () => {
  for (let n = 0; n < 5; n++) await queueRun({ workspaceId: 7 });
  await queueRun({ workspaceId: 7, status: 'RUNNING' });
  await queueRun({ workspaceId: 8 });
  expect([await queuedRuns(7, 100), await queuedRuns(7, 3), await queuedRuns(9, 3)]).toEqual([
    5, 3, 0,
  ]);
});

it('asks for them by an index that begins with all that it asks for', async () => {
  const queued = { live: true, workspaceId: 7, status: 'QUEUED' } as const;
  const { queryPlanner } = await RunModel.collection.find(queued).explain('queryPlanner');
  const { inputStage } = queryPlanner.winningPlan;
  expect(inputStage.stage).toBe('IXSCAN');
  const first = Object.keys(inputStage.keyPattern).slice(0, Object.keys(queued).length);
  expect(first.sort()).toEqual(Object.keys(queued).sort());
});

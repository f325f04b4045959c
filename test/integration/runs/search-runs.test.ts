import { searchRuns } from '../../../services/runs/search-runs.ts';
import { newExecution, onRunsDatabase, queueRun, storeRun } from './engine.ts';

onRunsDatabase();

it('finds flow runs, child runs and executions, live and ended, the newest first', async () => {
  const workspaceId = 7;
  const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, second));
  const ended = (status: 'FAILED' | 'SUCCESS', second: number) =>
    ({ workspaceId, status, createdAt: at(second), completedAt: at(second + 100) }) as const;
  const flowRun = await queueRun(ended('FAILED', 1));
  const child = await queueRun({ ...ended('FAILED', 2), isChild: true });
  const execution = newExecution(ended('FAILED', 3));
  await storeRun(execution);
  const succeeded = await queueRun(ended('SUCCESS', 4));
  const live = await queueRun({ workspaceId });
  const other = await queueRun({ workspaceId: 8 });
  const found = async (search: Partial<Parameters<typeof searchRuns>[0]>) =>
    (await searchRuns({ limit: 10, ...search })).map(({ id }) => id);
  const idsOf = (...runs: { _id: number }[]) => runs.map(({ _id }) => _id);
  const all = idsOf(succeeded, execution, child, flowRun);
  expect(await found({ workspaceId })).toEqual([live._id, ...all]);
  expect(await found({ workspaceId, statuses: ['FAILED'], limit: 2 })).toEqual(all.slice(1, 3));
  expect(await found({ statuses: ['FAILED', 'SUCCESS'] })).toEqual(all);
  expect(await found({ statuses: ['QUEUED'] })).toEqual(idsOf(other, live));
});

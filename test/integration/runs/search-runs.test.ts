import { RunModel } from '../../../models/run.model.ts';
import { searchRuns, sourcesOf } from '../../../services/runs/search-runs.ts';
import { onRunsDatabase, queueRun } from './engine.ts';

onRunsDatabase();

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, second));
const ended = (status: 'FAILED' | 'SUCCESS', second: number) => ({
  $set: { status, createdAt: at(second), completedAt: at(second + 100) },
  $unset: { live: 1, ready: 1 },
});

interface Explained {
  stage: string;
  inputStage?: Explained;
}
const stagesOf = ({ stage, inputStage }: Explained): string[] => [
  stage,
  ...(inputStage ? stagesOf(inputStage) : []),
];

it.each([
  ['of a workspace', { workspaceId: 7 }],
  ['of a workspace by status', { workspaceId: 7, statuses: ['FAILED' as const] }],
  ['of a flow', { flowId: 5 }],
  [
    'of a flow in a workspace by status',
    { flowId: 5, workspaceId: 7, statuses: ['FAILED' as const] },
  ],
  ['that have ended, of all workspaces', { statuses: ['FAILED' as const, 'TIMED_OUT' as const] }],
])('reads runs %s in the order of an index, and sorts none', async (_, search) => {
  for (const { filter, sort } of sourcesOf({ ...search, limit: 20 })) {
    const query = RunModel.collection.find(filter as object).sort(sort as Record<string, 1 | -1>);
    const { queryPlanner } = await query.limit(20).explain('queryPlanner');
    const stages = stagesOf(queryPlanner.winningPlan);
    expect(stages).toContain('IXSCAN');
    expect(stages).not.toContain('SORT');
  }
});

it('finds flow runs, child runs and executions, live and ended, the newest first', async () => {
  const workspaceId = 7;
  const runs = [];
  for (let n = 0; n < 5; n++) runs.push(await queueRun({ workspaceId }));
  const other = await queueRun({ workspaceId: 8 });
  const [flowRun, child, execution, succeeded, live] = runs.map(({ _id }) => _id);
  await RunModel.collection.updateOne({ _id: flowRun as never }, ended('FAILED', 1));
  await RunModel.collection.updateOne({ _id: child as never }, ended('FAILED', 2));
  await RunModel.collection.updateOne({ _id: child as never }, { $set: { isChild: true } });
  await RunModel.collection.updateOne({ _id: execution as never }, ended('FAILED', 3));
  await RunModel.collection.updateOne(
    { _id: execution as never },
    {
      $set: { execution: { workflowId: 3, workflowName: 'Order sync' } },
      $unset: { flowId: 1, flowName: 1, versionId: 1 },
    },
  );
  await RunModel.collection.updateOne({ _id: succeeded as never }, ended('SUCCESS', 4));
  const idsOf = async (search: Parameters<typeof searchRuns>[0]) =>
    (await searchRuns(search)).map(({ id }) => id);
  expect(await idsOf({ workspaceId, limit: 10 })).toEqual([
    live,
    succeeded,
    execution,
    child,
    flowRun,
  ]);
  expect(await idsOf({ workspaceId, statuses: ['FAILED'], limit: 2 })).toEqual([execution, child]);
  expect(await idsOf({ statuses: ['FAILED', 'SUCCESS'], limit: 10 })).toEqual([
    succeeded,
    execution,
    child,
    flowRun,
  ]);
  expect((await idsOf({ statuses: ['QUEUED'], limit: 10 })).toSorted()).toEqual(
    [live, other._id].toSorted(),
  );
});

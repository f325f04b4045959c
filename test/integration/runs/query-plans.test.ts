import { RunModel } from '../../../models/run.model.ts';
import { sourcesOf } from '../../../services/runs/search-runs.ts';
import { onRunsDatabase } from './engine.ts';

onRunsDatabase();

interface Stage {
  stage: string;
  inputStage?: Stage;
}
const stagesOf = (plan: Stage): Stage[] => [
  plan,
  ...(plan.inputStage ? stagesOf(plan.inputStage) : []),
];

/** Returns the stages of a query's plan. Each query is answered by an index, in its order. */
async function planOf(filter: object, sort: object = {}): Promise<Stage[]> {
  const query = RunModel.collection.find(filter).sort(sort as Record<string, 1 | -1>);
  const { queryPlanner } = await query.limit(20).explain('queryPlanner');
  const plan = stagesOf(queryPlanner.winningPlan);
  const stages = plan.map(({ stage }) => stage);
  expect(stages).toContain('IXSCAN');
  expect(stages).not.toContain('SORT');
  return plan;
}

test.each([
  [
    'stored bytes of live runs',
    { live: true, workspaceId: 7, journalBytes: { $gt: 1_024, $lte: 1_280 } },
    { live: 1, workspaceId: 1, journalBytes: 1 },
  ],
  [
    'queued runs of a workspace',
    { live: true, workspaceId: 7, status: 'QUEUED' },
    { live: 1, status: 1, workspaceId: 1, flowId: 1 },
  ],
  [
    'live runs below a run',
    { 'parent.rootId': 7, live: true, isChild: true },
    { 'parent.rootId': 1, live: 1, isChild: 1 },
  ],
])('%s are counted by a partial index on all that is asked for', async (_, filter, keyPattern) => {
  const scan = (await planOf(filter)).find(({ stage }) => stage === 'IXSCAN');
  expect(scan).toMatchObject({ keyPattern, isPartial: true });
});

test('runs that ended too long ago are found by their end', async () => {
  const tooOld = { completedAt: { $lt: new Date() }, expired: { $exists: false } };
  const plan = await planOf(tooOld, { completedAt: 1 });
  expect(plan).toContainEqual(expect.objectContaining({ keyPattern: { completedAt: 1 } }));
});

test.each([
  ['of a workspace', { workspaceId: 7 }],
  ['of a workspace by status', { workspaceId: 7, statuses: ['FAILED' as const] }],
  ['of a flow', { flowId: 5 }],
  ['of a flow by status', { flowId: 5, workspaceId: 7, statuses: ['FAILED' as const] }],
  ['that have ended, of all workspaces', { statuses: ['FAILED' as const, 'TIMED_OUT' as const] }],
])('runs %s are searched in the order of an index', async (_, search) => {
  for (const { filter, sort } of sourcesOf({ ...search, limit: 20 })) await planOf(filter, sort);
});

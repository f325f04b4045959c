import { IssueModel } from '../../../models/issue.model.ts';
import { IssueRaiseModel } from '../../../models/issue-raise.model.ts';
import { MAX_OPEN_ISSUES } from '../../../services/issues/failures/common-issue.ts';
import { raiseForFailures } from '../../../services/issues/failures/raise-for-failures.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([IssueModel, IssueRaiseModel]);

const directory = {
  people: async () => new Map(),
  isMember: async () => false,
  workspaceExists: async () => true,
};
const ofFlow = (runId: number, kind: number, flowId = 7) => ({
  id: `entry ${runId}`,
  at: new Date(runId * 1_000).toISOString(),
  workspaceId: 1,
  runId,
  flowId,
  title: `orders failed: ${kind}`,
  description: `Text of run ${runId}`,
  assignedUserId: null,
  fingerprint: `flow ${flowId} kind ${kind}`,
});
const fail = (...entries: ReturnType<typeof ofFlow>[]) => raiseForFailures({ entries }, directory);
const all = () => IssueModel.find({ removedAt: null }).sort({ _id: 1 }).lean();

test('a flow has a bounded number of open issues, and one for all further kinds of failures', async () => {
  const kinds = Array.from({ length: MAX_OPEN_ISSUES + 5 }, (_, kind) => kind);
  await fail(...kinds.map((kind) => ofFlow(kind + 1, kind)));
  const raised = await all();
  expect(raised).toHaveLength(MAX_OPEN_ISSUES + 1);
  expect(raised.at(-1)).toMatchObject({ title: 'Flow 7 failed in further ways' });
  expect(raised.at(-1)?.failures).toMatchObject({ count: 5, flowId: 7 });
  await fail(ofFlow(501, 777), ofFlow(1, 0), ofFlow(502, 3), ofFlow(503, 0, 8));
  const later = await all();
  expect(later).toHaveLength(MAX_OPEN_ISSUES + 2); // the other flow has its own
  expect(later.find(({ title }) => title.includes('further'))?.failures?.count).toBe(6);
  expect(later[0]?.failures?.count).toBe(1);
  expect(later[3]?.failures?.count).toBe(2);
  await IssueModel.updateOne({ _id: later[0]?._id }, { status: 'CLOSED' });
  await fail(ofFlow(601, 888));
  expect((await all()).at(-1)).toMatchObject({ title: 'orders failed: 888' });
});

test('a failure that the common issue has counted is counted nowhere else when its entry comes again', async () => {
  const [first] = await all();
  await fail(ofFlow(701, 999)); // into the common issue, since the last test has used the free place
  await IssueModel.updateOne({ _id: first?._id }, { $set: { status: 'CLOSED' } });
  await IssueModel.updateMany({ title: 'orders failed: 888' }, { $set: { status: 'CLOSED' } });
  await fail(ofFlow(701, 999));
  const titles = (await all()).map(({ title }) => title);
  expect(titles).not.toContain('orders failed: 999');
});

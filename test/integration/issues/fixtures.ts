import type { OutboxEntry } from '../../../models/changed-document.ts';
import { IssueModel } from '../../../models/issue.model.ts';
import { IssueRaiseModel } from '../../../models/issue-raise.model.ts';
import type { WorkspaceDirectory } from '../../../services/issues/assignee.ts';
import { recordFailures } from '../../../services/issues/failures/counted-failures.ts';
import { issues } from '../../../services/issues/issues.store.ts';
import { recordRaises } from '../../../services/issues/raises.ts';
import { removeIssue } from '../../../services/issues/remove-issue.ts';
import { updateIssue } from '../../../services/issues/update-issue.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';

/** Gives the tests of a file a database of issues, which is empty at the beginning of each test. */
export const useIssues = () => useEmptyDatabase([IssueModel, IssueRaiseModel]);

/** Members of each workspace: the user 5. The workspaces below 9 exist. */
export const directory: WorkspaceDirectory = {
  people: async (ids) =>
    new Map(ids.map((id) => [id, { id, email: `${id}@x.test`, firstName: 'A', lastName: 'B' }])),
  isMember: async (userId) => userId === 5,
  workspaceExists: async (workspaceId) => workspaceId < 9,
};

const byPerson = changeContext();
async function storedOf(issueId: number) {
  const stored = await issues.find(issueId);
  if (!stored) throw new Error(`there is no issue ${issueId}`);
  return stored;
}
export const update = async (issueId: number, fields: object) =>
  updateIssue(await storedOf(issueId), { workspaceId: 1, issueId, ...fields }, byPerson, directory);
export const remove = async (issueId: number) =>
  removeIssue(await storedOf(issueId), byPerson, directory);

/** Delivers the outboxes as the carrier does: records the raises and the failures, then empties the outboxes. */
export async function carry(): Promise<void> {
  const documents = await IssueModel.find({}, { outbox: 1 }).lean<{ outbox?: OutboxEntry[] }[]>();
  const entries = documents.flatMap(({ outbox = [] }) => outbox);
  const entriesOf = (call: string) =>
    entries.flatMap((entry) =>
      'call' in entry && entry.call === call
        ? [{ id: entry.id, at: entry.at.toISOString(), ...entry.params }]
        : [],
    ) as never[];
  await recordRaises({ entries: entriesOf('issues.recordRaises') });
  await recordFailures({ entries: entriesOf('issues.recordFailures') });
  await IssueModel.collection.deleteMany({ removedAt: { $exists: true } });
  await IssueModel.collection.updateMany({}, { $unset: { outbox: '' } });
}

/** The state of an outbox that a repeat of a raise or of a failure may meet. */
export const OUTBOXES = [
  ['waits in the outbox', async () => undefined],
  ['is recorded', carry],
] as const;

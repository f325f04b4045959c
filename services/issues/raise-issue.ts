import { isProblem, NotFound } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { busy } from '../../mixins/changes/document-queue.ts';
import type { Update } from '../../mixins/changes/update.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { type IssueDocument, IssueModel } from '../../models/issue.model.ts';
import { assertAssignable, assigneeCheck, type Directory } from './assignee.ts';
import { changedFields, wordsIn } from './changed-fields.ts';
import type { Issue } from './issues.resources.ts';
import { isOpen, issues, type StoredIssue } from './issues.store.ts';
import { newIssueOf } from './new-issue.ts';
import { findRaise, hasRaised, recordMessage } from './raises.ts';
import { showIssue } from './show-issue.ts';

/** An issue as a run raises it. */
export interface Raise {
  workspaceId: number;
  /** The name of the raise. A repeat with the same id changes nothing. */
  raiseId: string;
  /** The hash by which the issue is found again. */
  fingerprint: string;
  title: string;
  /** Null leaves the description of an issue as it is. */
  description: string | null;
  /** Null leaves the assignee of an issue as it is. */
  assignedUserId: number | null;
}

/** Attempts to find or create the issue; then the raise is refused as busy. Another raise or a deletion fails an attempt. */
const MAX_ATTEMPTS = 10;

/** Raises an issue, or updates the issue with the same fingerprint and opens it again. Answers the issue. */
export async function raiseIssue(
  raise: Raise,
  change: ChangeContext,
  directory: Directory,
): Promise<Issue> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const found = await findByFingerprint(raise);
    const stored = found
      ? await updateRaised(found, raise, change, directory)
      : await createRaised(raise, change, directory);
    if (stored) return showIssue(stored, directory);
  }
  throw busy();
}

/** Finds the issue that runs have raised with the fingerprint; null without such an issue. */
export const findByFingerprint = ({
  workspaceId,
  fingerprint,
}: Pick<Raise, 'workspaceId' | 'fingerprint'>): Promise<StoredIssue | null> =>
  IssueModel.findOne({ workspaceId, fingerprint }, issues.projection)
    .read('primary')
    .lean<StoredIssue>()
    .exec();

type RaisedIssue = Parameters<typeof showIssue>[0];

/** Creates the issue, unless a deleted issue had this raise. Null when the issue was raised meanwhile. */
async function createRaised(
  raise: Raise,
  change: ChangeContext,
  directory: Directory,
): Promise<RaisedIssue | null> {
  const { workspaceId, raiseId, fingerprint, title, assignedUserId } = raise;
  const earlier = await findRaise(raiseId);
  if (earlier) return (await issues.find(earlier.issueId)) ?? deletedIssue(raise, earlier);
  if (assignedUserId !== null) await assertAssignable(assignedUserId, workspaceId, directory);
  const description = raise.description ?? '';
  const fields = { workspaceId, title, description, assignedUserId };
  try {
    return await issues.create(
      { ...newIssueOf(fields, change), fingerprint },
      change,
      (created) => [recordMessage(raiseId, created)],
    );
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}

/** Makes the answer of an earlier attempt of the raise, whose issue has been deleted since. */
const deletedIssue = (
  { title, description, assignedUserId }: Raise,
  { issueId, issueCreatedAt, raisedAt }: NonNullable<Awaited<ReturnType<typeof findRaise>>>,
): RaisedIssue => ({
  _id: issueId,
  title,
  description: description ?? '',
  status: 'OPEN',
  assignedUserId,
  createdAt: issueCreatedAt,
  updatedAt: raisedAt,
});

/** Updates and opens the issue, unless this raise has done so. Null when the issue was deleted meanwhile. */
async function updateRaised(
  issue: StoredIssue,
  raise: Raise,
  change: ChangeContext,
  directory: Directory,
): Promise<RaisedIssue | null> {
  const assertAssignee = assigneeCheck(raise.assignedUserId, 'assignedUserId', directory);
  const decide = async (current: StoredIssue) => {
    const update = updateOf(current, raise);
    if (!update || (await hasRaised(raise.raiseId, current._id))) return null;
    await assertAssignee(current);
    return update;
  };
  try {
    return await issues.change(issue, decide, change);
  } catch (error) {
    if (isProblem(error, NotFound)) return null;
    throw error;
  }
}

/** The update that a raise makes of an issue; null when the issue is open and has these fields. */
function updateOf(
  issue: StoredIssue,
  { raiseId, title, description, assignedUserId }: Raise,
): Update<IssueDocument> | null {
  const fields = changedFields(issue, {
    title,
    description: description ?? undefined,
    assignedUserId: assignedUserId ?? undefined,
    status: isOpen(issue) ? undefined : 'OPEN',
  });
  if (Object.keys(fields).length === 0) return null;
  return {
    set: { ...fields, ...wordsIn(fields) },
    messages: [recordMessage(raiseId, issue)],
  };
}

import { isProblem, NotFound } from '../../../contract/problem.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { IssueDocument, IssueFailures } from '../../../models/issue.model.ts';
import type { WorkspaceDirectory } from '../assignee.ts';
import { changedFields, wordsIn } from '../changed-fields.ts';
import { isOpen, issues, type StoredIssue } from '../issues.store.ts';
import { failuresMessage, findCountedFailures } from './counted-failures.ts';
import { failureChange, memberOf } from './failure-change.ts';
import { type FailureGroup, runIdsOf, withoutRuns } from './failure-group.ts';
import { withFailureLines } from './failure-lines.ts';

/**
 * Counts the failures that the issue has not counted yet, in one change. A resolved or closed issue is opened again.
 * False when the issue was deleted meanwhile.
 */
export async function countFailures(
  issue: StoredIssue,
  group: FailureGroup,
  directory: WorkspaceDirectory,
): Promise<boolean> {
  const decide = async (current: StoredIssue) => {
    const fresh = withoutRuns(group, await findCountedFailures(runIdsOf(group), current._id));
    return fresh && updateOf(current, fresh, await newAssignee(current, fresh, directory));
  };
  try {
    await issues.change(issue, decide, failureChange(group));
    return true;
  } catch (error) {
    if (isProblem(error, NotFound)) return false;
    throw error;
  }
}

/** Returns the assignee of an issue that is opened again; undefined for an issue that stays as it is assigned. */
async function newAssignee(
  issue: StoredIssue,
  { last }: FailureGroup,
  directory: WorkspaceDirectory,
): Promise<number | undefined> {
  if (isOpen(issue) || issue.assignedUserId !== null) return undefined;
  return (await memberOf(last, directory)) ?? undefined;
}

/** The title and the text above the lines of failures stay, because people may have edited them. */
function updateOf(
  issue: StoredIssue,
  group: FailureGroup,
  assignedUserId: number | undefined,
): Update<IssueDocument> {
  const failures = addFailures(issue.failures, group);
  const fields = changedFields(issue, {
    description: withFailureLines(issue.description, failures),
    status: isOpen(issue) ? undefined : 'OPEN',
    assignedUserId,
  });
  return {
    set: { ...fields, ...wordsIn(fields), failures },
    changed: Object.keys(fields),
    messages: [failuresMessage(runIdsOf(group), issue)],
  };
}

/** Outboxes may deliver an earlier failure later: the last run stays the run that failed last. */
function addFailures(
  known: IssueFailures | undefined,
  { runs, last }: FailureGroup,
): IssueFailures {
  const count = (known?.count ?? 0) + runs.length;
  const lastFailedAt = new Date(last.at);
  if (known && known.lastFailedAt > lastFailedAt) return { ...known, count };
  return { ...known, count, lastRunId: last.runId, lastFailedAt };
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { assigneeCheck, type Directory, wishedAssignee } from './assignee.ts';
import { changedFields, wordsIn } from './changed-fields.ts';
import { refreshFailureLines } from './failures/failure-lines.ts';
import { contradiction } from './issues.problems.ts';
import type { Issue } from './issues.resources.ts';
import { issues, type StoredIssue } from './issues.store.ts';
import { showIssue } from './show-issue.ts';

type IssueUpdate = Params<'issues.update'>;

/** Changes the given fields that differ. A concurrent change of another field is not lost. */
export async function updateIssue(
  issue: StoredIssue,
  update: IssueUpdate,
  change: ChangeContext,
  directory: Directory,
): Promise<Issue> {
  assertSameId(update);
  const { userId, field } = wishedAssignee(update);
  const { title, description, status } = update;
  const assertAssignee = assigneeCheck(userId, field, directory);
  await assertAssignee(issue); // the order of checks puts a fault of the body (400) before `If-Match` (412)
  const decide = async (current: StoredIssue) => {
    const text = refreshedDescription(description, current);
    const fields = changedFields(current, {
      title,
      description: text,
      status,
      assignedUserId: userId,
    });
    if (Object.keys(fields).length === 0) return null;
    await assertAssignee(current);
    return { set: { ...fields, ...wordsIn(fields) } };
  };
  const show = (current: StoredIssue) => showIssue(current, directory);
  return show(await issues.change(issue, decide, change, show));
}

function assertSameId({ id, issueId }: IssueUpdate): void {
  if (id !== undefined && id !== issueId) throw contradiction('id', 'is not the id of this issue');
}

/** An edit of a text that was read earlier does not bring back the count and the run of that time. */
const refreshedDescription = (
  description: string | undefined,
  { failures }: StoredIssue,
): string | undefined =>
  description !== undefined && failures ? refreshFailureLines(description, failures) : description;

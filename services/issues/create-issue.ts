import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { assertAssignable, type Directory } from './assignee.ts';
import type { Issue } from './issues.resources.ts';
import { issues } from './issues.store.ts';
import { newIssueOf } from './new-issue.ts';
import { showIssue } from './show-issue.ts';

type NewIssue = Params<'issues.create'>;

export async function createIssue(
  { workspaceId, title, description, assignedUserId = null }: NewIssue,
  change: ChangeContext,
  directory: Directory,
): Promise<Issue> {
  if (assignedUserId !== null) await assertAssignable(assignedUserId, workspaceId, directory);
  const issue = await issues.create(
    newIssueOf({ workspaceId, title, description, assignedUserId }, change),
    change,
  );
  return showIssue(issue, directory);
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { eventMessage } from '../../mixins/changes/outbox.ts';
import type { Params } from '../contracts.ts';
import { assertAssignable, type Directory } from './assignee.ts';
import type { Issue } from './issues.contract.ts';
import { issueCreated } from './issues.events.ts';
import { issues } from './issues.store.ts';
import { showIssue } from './show-issue.ts';
import { wordsOf } from './words.ts';

type NewIssue = Params<'issues.create'>;

export async function createIssue(
  { workspaceId, title, description, assignedUserId = null }: NewIssue,
  change: ChangeContext,
  directory: Directory,
): Promise<Issue> {
  if (assignedUserId !== null) await assertAssignable(assignedUserId, workspaceId, directory);
  const now = new Date();
  const issue = await issues.create(
    {
      workspaceId,
      title,
      description,
      status: 'OPEN',
      assignedUserId,
      reporter: change.actor,
      titleWords: wordsOf(title),
      descriptionWords: wordsOf(description),
      createdAt: now,
      updatedAt: now,
    },
    change,
    ({ _id }) => [eventMessage(issueCreated, { workspaceId, issueId: _id })],
  );
  return showIssue(issue, directory);
}

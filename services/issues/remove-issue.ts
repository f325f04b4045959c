import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { eventMessage } from '../../mixins/changes/outbox.ts';
import type { Directory } from './assignee.ts';
import { issueDeleted } from './issues.events.ts';
import { issues, type StoredIssue } from './issues.store.ts';
import { showIssue } from './show-issue.ts';

export async function removeIssue(
  issue: StoredIssue,
  change: ChangeContext,
  directory: Directory,
): Promise<null> {
  const { _id: issueId, workspaceId } = issue;
  await issues.remove(issue, change, {
    show: (current) => showIssue(current, directory),
    messages: [eventMessage(issueDeleted, { workspaceId, issueId })],
  });
  return null;
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Directory } from './assignee.ts';
import { issues, type StoredIssue } from './issues.store.ts';
import { showIssue } from './show-issue.ts';

export async function removeIssue(
  issue: StoredIssue,
  change: ChangeContext,
  directory: Directory,
): Promise<null> {
  await issues.remove(issue, change, {
    show: (current) => showIssue(current, directory),
  });
  return null;
}

import { type Assignee, assigneesOf, type Directory } from './assignee.ts';
import type { Issue } from './issues.contract.ts';
import type { StoredIssue } from './issues.store.ts';

export async function showIssue(issue: StoredIssue, directory: Directory): Promise<Issue> {
  return showIssueWith(await assigneesOf([issue], directory))(issue);
}

export const showIssueWith =
  (assigneeOf: (userId: number) => Assignee) =>
  (issue: StoredIssue): Issue => ({
    id: issue._id,
    title: issue.title,
    description: issue.description,
    status: issue.status,
    assignee: issue.assignedUserId === null ? null : assigneeOf(issue.assignedUserId),
    createdAt: issue.createdAt.toISOString(),
    updatedAt: issue.updatedAt.toISOString(),
  });

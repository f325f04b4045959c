import { type Assignee, assigneesOf, type Directory } from './assignee.ts';
import type { Issue } from './issues.resources.ts';
import type { StoredIssue } from './issues.store.ts';

/** The fields of an issue that answers show. */
type ShownFields = Pick<
  StoredIssue,
  '_id' | 'title' | 'description' | 'status' | 'assignedUserId' | 'createdAt' | 'updatedAt'
>;

export async function showIssue(issue: ShownFields, directory: Directory): Promise<Issue> {
  return showIssueWith(await assigneesOf([issue], directory))(issue);
}

export const showIssueWith =
  (assigneeOf: (userId: number) => Assignee) =>
  (issue: ShownFields): Issue => ({
    id: issue._id,
    title: issue.title,
    description: issue.description,
    status: issue.status,
    assignee: issue.assignedUserId === null ? null : assigneeOf(issue.assignedUserId),
    createdAt: issue.createdAt.toISOString(),
    updatedAt: issue.updatedAt.toISOString(),
  });

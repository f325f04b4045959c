import type { IssueDocument } from '../../models/issue.model.ts';
import { type Assignee, assigneesOf, type Directory } from './assignee.ts';
import type { Issue } from './issues.contract.ts';

/** An issue without what only a search needs. */
export type StoredIssue = Omit<IssueDocument, 'titleWords' | 'descriptionWords' | 'reporter'>;
/** The fields that are read: the words of a long description are many. */
export const SHOWN = { titleWords: 0, descriptionWords: 0, reporter: 0 } as const;

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

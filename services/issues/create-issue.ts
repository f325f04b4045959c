import type { Actor } from '../../contract/caller.ts';
import { batchInsert } from '../../mixins/database/batched-inserts.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { type IssueDocument, IssueModel } from '../../models/issue.model.ts';
import { assertAssignable, type Directory } from './assignee.ts';
import type { Issue } from './issues.contract.ts';
import { showIssue } from './show-issue.ts';
import { wordsOf } from './words.ts';

export interface NewIssue {
  workspaceId: number;
  title: string;
  description: string;
  assignedUserId?: number | null | undefined;
}

/** Characters of a description beyond which an issue is inserted alone: each word is an entry of an index. */
const LARGE_DESCRIPTION = 2_000;
const insertIssue = batchInsert<IssueDocument>(
  IssueModel,
  ({ description }) => description.length > LARGE_DESCRIPTION,
);

export async function createIssue(
  { workspaceId, title, description, assignedUserId = null }: NewIssue,
  reporter: Actor,
  directory: Directory,
): Promise<Issue> {
  if (assignedUserId !== null) await assertAssignable(assignedUserId, workspaceId, directory);
  const now = new Date();
  const issue: IssueDocument = {
    _id: await nextId('issues'),
    workspaceId,
    title,
    description,
    status: 'OPEN',
    assignedUserId,
    reporter,
    titleWords: wordsOf(title),
    descriptionWords: wordsOf(description),
    createdAt: now,
    updatedAt: now,
  };
  await insertIssue(issue);
  return showIssue(issue, directory);
}

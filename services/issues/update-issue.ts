import { IssueModel } from '../../models/issue.model.ts';
import { assertAssignable, type Directory, wishedAssignee } from './assignee.ts';
import { atPath, type IssuePath } from './get-issue.ts';
import type { Issue, IssueStatus } from './issues.contract.ts';
import { contradiction, noIssue } from './issues.problems.ts';
import { SHOWN, type StoredIssue, showIssue } from './show-issue.ts';
import { wordsOf } from './words.ts';

export interface IssueUpdate extends IssuePath {
  id?: number | undefined;
  title?: string | undefined;
  description?: string | undefined;
  status?: IssueStatus | undefined;
  assignedUserId?: number | null | undefined;
  assignee?: { id: number } | null | undefined;
}

/** Changes what is given and differs. One who changes another field at the same time loses nothing. */
export async function updateIssue(
  issue: StoredIssue,
  update: IssueUpdate,
  directory: Directory,
): Promise<Issue> {
  assertSameId(update);
  const wished = wishedAssignee(update);
  const { title, description, status } = update;
  const changes = changed(issue, { title, description, status, assignedUserId: wished.userId });
  if (typeof changes.assignedUserId === 'number') {
    await assertAssignable(changes.assignedUserId, issue.workspaceId, directory, wished.field);
  }
  const stored = Object.keys(changes).length > 0 ? await store(update, changes) : issue;
  return showIssue(stored, directory);
}

function assertSameId({ id, issueId }: IssueUpdate): void {
  if (id !== undefined && id !== issueId) throw contradiction('id', 'is not the id of this issue');
}

type Changes = Partial<Pick<StoredIssue, 'title' | 'description' | 'status' | 'assignedUserId'>>;

/** The given fields that differ from what is stored. */
const changed = (issue: StoredIssue, given: { [K in keyof Changes]: Changes[K] | undefined }) =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => value !== undefined && value !== issue[field as keyof StoredIssue],
    ),
  ) as Changes;

async function store(path: IssuePath, changes: Changes): Promise<StoredIssue> {
  const { title, description } = changes;
  const stored = await IssueModel.findOneAndUpdate(
    atPath(path),
    {
      $set: {
        ...changes,
        ...(title === undefined ? {} : { titleWords: wordsOf(title) }),
        ...(description === undefined ? {} : { descriptionWords: wordsOf(description) }),
        updatedAt: new Date(),
      },
    },
    { returnDocument: 'after', projection: SHOWN },
  ).lean<StoredIssue>();
  if (!stored) throw noIssue(path.issueId);
  return stored;
}

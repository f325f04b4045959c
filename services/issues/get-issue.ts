import { batchFind } from '../../mixins/database/batch-loader.ts';
import { IssueModel } from '../../models/issue.model.ts';
import { noIssue } from './issues.problems.ts';
import { SHOWN, type StoredIssue } from './show-issue.ts';

/** Where an issue is: its id counts in its own workspace only. */
export interface IssuePath {
  workspaceId: number;
  issueId: number;
}

export const atPath = ({ workspaceId, issueId }: IssuePath) => ({ _id: issueId, workspaceId });

/** The issue of that id, in whatever workspace it is; the access check holds it against the path's. */
export const findIssue = batchFind<StoredIssue>(IssueModel, { projection: SHOWN });

export async function removeIssue(path: IssuePath): Promise<null> {
  const { deletedCount } = await IssueModel.deleteOne(atPath(path));
  if (deletedCount === 0) throw noIssue(path.issueId);
  return null;
}

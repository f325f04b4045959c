import { type Position, positionOf } from '../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../contract/pages.ts';
import { IssueModel } from '../../models/issue.model.ts';
import type { IssueStatus } from '../../models/issue-status.ts';
import { assigneesOf, type Directory } from './assignee.ts';
import type { Issue } from './issues.contract.ts';
import { issues, type StoredIssue } from './issues.store.ts';
import { showIssueWith } from './show-issue.ts';
import { wordFilter } from './words.ts';

export interface IssueFilter extends Position {
  workspaceId: number;
  status?: IssueStatus | undefined;
  assignedUserId?: number | undefined;
  q?: string | undefined;
  updatedSince?: string | undefined;
}

/** The issues of a workspace that fit every filter given, by id. */
export async function listIssues(filter: IssueFilter, directory: Directory): Promise<Page<Issue>> {
  const found = await IssueModel.find(conditions(filter), issues.projection)
    .sort({ _id: 1 })
    .limit(filter.limit + 1)
    .lean<StoredIssue[]>();
  const show = showIssueWith(await assigneesOf(found.slice(0, filter.limit), directory));
  return pageFrom(found, filter.limit, show, ({ _id }) => cursorOf(_id));
}

function conditions(filter: IssueFilter) {
  const { workspaceId, status, assignedUserId, q, updatedSince } = filter;
  const words = q === undefined ? [] : wordFilter(q, ['titleWords', 'descriptionWords']);
  return {
    workspaceId,
    _id: { $gt: positionOf(filter) },
    ...(status === undefined ? {} : { status }),
    ...(assignedUserId === undefined ? {} : { assignedUserId }),
    ...(updatedSince === undefined ? {} : { updatedAt: { $gte: new Date(updatedSince) } }),
    ...(words.length > 0 ? { $and: words } : {}),
  };
}

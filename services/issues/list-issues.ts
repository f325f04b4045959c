import { ascendingBy, type PageOrder } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import { type Page, pageFrom } from '../../contract/pages.ts';
import { readRows } from '../../mixins/database/read-page.ts';
import { IssueModel } from '../../models/issue.model.ts';
import type { IssueStatus } from '../../models/issue-status.ts';
import { assigneesOf, type Directory } from './assignee.ts';
import type { Issue } from './issues.resources.ts';
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

/** The issues of a workspace that match all given filters, by id. */
export async function listIssues(filter: IssueFilter, directory: Directory): Promise<Page<Issue>> {
  const order: PageOrder<StoredIssue> = ascendingBy('_id');
  const found = await readRows(IssueModel, {
    filter: conditions(filter),
    order,
    position: filter,
    projection: issues.projection,
  });
  const show = showIssueWith(await assigneesOf(found.slice(0, filter.limit), directory));
  return pageFrom(found, filter.limit, show, order.cursorOf);
}

function conditions(filter: IssueFilter) {
  const { workspaceId, status, assignedUserId, q, updatedSince } = filter;
  const words = q === undefined ? [] : wordFilter(q, ['titleWords', 'descriptionWords']);
  return {
    workspaceId,
    ...(status === undefined ? {} : { status }),
    ...(assignedUserId === undefined ? {} : { assignedUserId }),
    ...(updatedSince === undefined ? {} : { updatedAt: { $gte: new Date(updatedSince) } }),
    ...(words.length > 0 ? { $and: words } : {}),
  };
}

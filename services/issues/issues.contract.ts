import { z } from 'zod';
import { EVERY_ROLE, MEMBERS, WORKERS } from '../../contract/access-rule.ts';
import { action, defineContract } from '../../contract/contract.ts';
import {
  DateTime,
  Description,
  Id,
  IdText,
  listQuery,
  Name,
  pageOf,
} from '../../contract/fields.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { NotFound } from '../../contract/problem.ts';
import { publishEventsAction } from '../../contract/publish-events.ts';
import { Assignee, Issue, IssueStatus } from './issues.resources.ts';
import { raiseActions } from './raise.contract.ts';
import { wordsOf } from './words.ts';

const inWorkspace = { parameter: 'workspaceId' };
const issue = { resource: 'issue', parameter: 'issueId' } as const;
const issuePath = { workspaceId: IdText, issueId: IdText };
const assignedUserId = Id.nullable()
  .optional()
  .meta({ description: 'A member of the workspace; null for nobody' });
const newIssue = { title: Name, description: Description, assignedUserId };

const exampleIssue = {
  id: 1,
  title: 'The difference engine skips a tooth',
  description: 'Seen twice since Monday, on the fourth wheel.',
  status: 'OPEN',
  assignee: { id: 1, email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};
const exampleBody = {
  title: exampleIssue.title,
  description: exampleIssue.description,
  assignedUserId: 1,
};

export const issuesContract = defineContract('issues', 'Issues raised inside a workspace', {
  list: action({
    summary: 'The issues of a workspace',
    route: 'GET /workspaces/:workspaceId/issues',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    query: {
      ...listQuery,
      status: IssueStatus.optional(),
      assignedUserId: IdText.optional(),
      q: z
        .string()
        .max(200, 'must have at most 200 characters')
        .regex(/[\p{L}\p{N}]/u, 'must have a letter or a digit')
        .refine((text) => wordsOf(text).length > 0, 'must have a letter or a digit')
        .optional()
        .meta({ description: 'Words that all stand in title or description, or begin one there' }),
      updatedSince: DateTime.optional().meta({
        description: 'Issues changed at this time or later',
      }),
    },
    result: pageOf(Issue),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [exampleIssue] },
  }),
  create: action({
    summary: 'Raise an issue',
    route: 'POST /workspaces/:workspaceId/issues',
    tool: true,
    audit: { resource: 'issue' },
    uncontended: true,
    idempotency: { sequence: 'issues' },
    idempotent: 'with-key',
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    body: newIssue,
    result: Issue,
    status: 201,
    errors: [NotFound],
    example: { body: exampleBody, answer: exampleIssue },
  }),
  createExternal: action({
    summary: 'Raise an issue by token or API key',
    route: 'POST /workspaces/:workspaceId/issues/external',
    tool: { keysOnly: true },
    createdIn: '/workspaces/:workspaceId/issues',
    audit: { resource: 'issue' },
    uncontended: true,
    idempotency: { sequence: 'issues' },
    idempotent: 'with-key',
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace, keyScope: 'issues:create' },
    path: { workspaceId: IdText },
    body: newIssue,
    result: Issue,
    status: 201,
    errors: [NotFound],
    example: { body: exampleBody, answer: exampleIssue },
  }),
  get: action({
    summary: 'One issue',
    route: 'GET /workspaces/:workspaceId/issues/:issueId',
    tool: true,
    etag: true,
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace, within: issue },
    path: issuePath,
    result: Issue,
    errors: [NotFound],
    idempotent: true,
    example: { answer: exampleIssue },
  }),
  update: action({
    summary: 'Change an issue',
    description:
      'Only what is given changes. What GET answered can be sent back: `assignee` then counts as `assignedUserId`.',
    route: 'PUT /workspaces/:workspaceId/issues/:issueId',
    tool: true,
    audit: { resource: 'issue' },
    etag: true,
    access: { who: 'member', roles: WORKERS, in: inWorkspace, within: issue },
    path: issuePath,
    body: {
      id: Id.optional(),
      title: Name.optional(),
      description: Description.optional(),
      status: IssueStatus.optional(),
      assignedUserId,
      assignee: Assignee.partial()
        .required({ id: true })
        .nullable()
        .optional()
        .meta({ description: 'As GET shows it: its `id` counts where `assignedUserId` is absent' }),
    },
    readOnly: ['createdAt', 'updatedAt'],
    result: Issue,
    errors: [NotFound],
    example: {
      body: { status: 'IN_PROGRESS' },
      answer: { ...exampleIssue, status: 'IN_PROGRESS' },
    },
  }),
  remove: action({
    summary: 'Delete an issue',
    route: 'DELETE /workspaces/:workspaceId/issues/:issueId',
    tool: true,
    audit: { resource: 'issue' },
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: inWorkspace, within: issue },
    path: issuePath,
    result: null,
    status: 204,
    errors: [NotFound],
  }),
  ...raiseActions,
  publishEvents: publishEventsAction,
  ...lifecycleActions,
});

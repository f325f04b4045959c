import { z } from 'zod';
import { ADMINS, EVERY_ROLE } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { IdText, listQuery, Name, pageOf, Role } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { workspaceExample } from './examples.ts';
import { Operation, Workspace, WorkspaceOfCaller } from './resources.ts';

const byId = { parameter: 'id' };

export const workspaceActions = {
  list: action({
    summary: 'The workspaces of the caller',
    route: 'GET /workspaces',
    tool: true,
    access: { who: 'authenticated' },
    query: listQuery,
    result: pageOf(WorkspaceOfCaller),
    format: 'page',
    idempotent: true,
    example: { answer: [{ ...workspaceExample, role: 'OWNER' }] },
  }),
  create: action({
    summary: 'Create a workspace',
    description: 'The caller becomes its OWNER. How many workspaces a person may make is a quota.',
    route: 'POST /workspaces',
    tool: { none: 'people decide which workspaces there are' },
    audit: { resource: 'workspace' },
    uncontended: true,
    idempotency: { sequence: 'workspaces' },
    access: { who: 'person' },
    query: { name: Name },
    result: Workspace,
    status: 201,
    errors: [QuotaReached],
    example: { parameters: { name: workspaceExample.name }, answer: workspaceExample },
  }),
  get: action({
    summary: 'One workspace',
    route: 'GET /workspaces/:id',
    tool: true,
    etag: true,
    access: { who: 'member', roles: EVERY_ROLE, in: byId },
    path: { id: IdText },
    result: Workspace,
    errors: [NotFound],
    idempotent: true,
    example: { answer: workspaceExample },
  }),
  rename: action({
    summary: 'Rename a workspace',
    description:
      'An OWNER who renames a workspace, also to the same name, takes its work over where its creator is no OWNER any more: until then such workspaces share one part of the capacity together.',
    route: 'PUT /workspaces/:id',
    tool: true,
    audit: { resource: 'workspace' },
    etag: true,
    access: { who: 'member', roles: ADMINS, in: byId },
    path: { id: IdText },
    query: { name: Name },
    result: Workspace,
    errors: [NotFound],
    example: { parameters: { name: workspaceExample.name }, answer: workspaceExample },
  }),
  remove: action({
    summary: 'Delete a workspace',
    description:
      'The workspace and all in it are unreachable at once, and its live runs are cancelled. What belongs to it is ' +
      'removed within minutes; only the audit entry of the deletion stays.',
    route: 'DELETE /workspaces/:id',
    tool: { none: 'people decide which workspaces there are' },
    audit: { resource: 'workspace' },
    etag: true,
    access: { who: 'member', roles: ['OWNER'], in: byId },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
  permissions: action({
    summary: 'What the caller may call in a workspace',
    description: 'The role of the caller and every operation that it opens.',
    route: 'GET /workspaces/:workspaceId/permissions',
    tool: true,
    etag: { none: 'the permissions are no resource that changes' },
    access: { who: 'member', roles: EVERY_ROLE, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    result: z.strictObject({ role: Role, operations: z.array(Operation) }),
    errors: [NotFound],
    idempotent: true,
    example: {
      answer: {
        role: 'GUEST',
        operations: [{ operation: 'workspaces.get', method: 'GET', path: '/workspaces/{id}' }],
      },
    },
  }),
};

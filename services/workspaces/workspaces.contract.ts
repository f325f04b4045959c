import { z } from 'zod';
import { ADMINS, EVERY_ROLE } from '../../contract/access-rule.ts';
import { AuditEntry } from '../../contract/audit.ts';
import { action, defineContract } from '../../contract/contract.ts';
import {
  Email,
  Id,
  IdText,
  listQuery,
  Name,
  pageOf,
  Role,
  Timestamp,
} from '../../contract/fields.ts';
import { NotFound } from '../../contract/problem.ts';
import { QuotaReached } from '../../contract/quota.ts';
import { auditActions } from './contract/audit.ts';
import { LastOwner, UserAlreadyInWorkspace } from './workspaces.problems.ts';

export const Workspace = z.strictObject({ id: Id, name: Name }).meta({ id: 'Workspace' });

/** A workspace in the list of a member, with the member's role. */
const WorkspaceOfCaller = Workspace.extend({ role: Role }).meta({ id: 'WorkspaceOfCaller' });

const person = { email: z.string(), firstName: z.string(), lastName: z.string() };

export const UserWithRole = z
  .strictObject({
    id: Id,
    ...person,
    role: Role,
    joinedAt: Timestamp,
    pending: z.boolean().meta({
      description:
        'Whether the address is not verified yet: until then the membership has no effect',
    }),
  })
  .meta({ id: 'UserWithRole' });

export const UserWorkspace = z
  .strictObject({
    userId: Id,
    workspaceId: Id,
    role: Role,
    ...person,
    joinedAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'UserWorkspace' });

const Operation = z
  .strictObject({
    operation: z.string().meta({ description: 'Its name, as in `issues.create`' }),
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
    path: z.string().meta({ description: 'With its parameters in braces' }),
  })
  .meta({ id: 'Operation' });

const byId = { parameter: 'id' };
const byWorkspaceId = { parameter: 'workspaceId' };
const example = { workspace: { id: 17, name: 'Analytical Engines' } };
const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
const joinedAt = '2026-01-31T09:30:00.000Z';
const membership = { userId: 42, workspaceId: 17, role: 'MEMBER', ...ada, joinedAt };

export const workspacesContract = defineContract(
  'workspaces',
  'Workspaces, their members and what each of them may do',
  {
    list: action({
      summary: 'The workspaces of the caller',
      route: 'GET /workspaces',
      access: { who: 'authenticated' },
      query: listQuery,
      result: pageOf(WorkspaceOfCaller),
      format: 'page',
      idempotent: true,
      example: { answer: [{ ...example.workspace, role: 'OWNER' }] },
    }),
    create: action({
      summary: 'Create a workspace',
      description:
        'The caller becomes its OWNER. How many workspaces a person may make is a quota.',
      route: 'POST /workspaces',
      audit: { resource: 'workspace' },
      uncontended: true,
      access: { who: 'person' },
      query: { name: Name },
      result: Workspace,
      status: 201,
      errors: [QuotaReached],
      example: { answer: example.workspace },
    }),
    get: action({
      summary: 'One workspace',
      route: 'GET /workspaces/:id',
      etag: true,
      access: { who: 'member', roles: EVERY_ROLE, in: byId },
      path: { id: IdText },
      result: Workspace,
      errors: [NotFound],
      idempotent: true,
      example: { answer: example.workspace },
    }),
    rename: action({
      summary: 'Rename a workspace',
      route: 'PUT /workspaces/:id',
      audit: { resource: 'workspace' },
      etag: true,
      access: { who: 'member', roles: ADMINS, in: byId },
      path: { id: IdText },
      query: { name: Name },
      result: Workspace,
      errors: [NotFound],
      example: { answer: example.workspace },
    }),
    listMembers: action({
      summary: 'The members of a workspace',
      description: 'By user id. Service accounts are not among them.',
      route: 'GET /workspaces/:workspaceId/users',
      access: { who: 'member', roles: EVERY_ROLE, in: byWorkspaceId },
      path: { workspaceId: IdText },
      query: listQuery,
      result: pageOf(UserWithRole),
      format: 'page',
      errors: [NotFound],
      idempotent: true,
      example: { answer: [{ id: 42, ...ada, role: 'OWNER', joinedAt, pending: false }] },
    }),
    addMember: action({
      summary: 'Add a user to a workspace',
      description:
        'The membership counts once the address is verified. Only an OWNER adds an OWNER; nobody gives a role above their own.',
      route: 'POST /workspaces/:workspaceId/users',
      audit: { resource: 'member' },
      access: { who: 'member', roles: ADMINS, in: byWorkspaceId, rules: ['owner-for-owner'] },
      path: { workspaceId: IdText },
      query: { userEmail: Email, role: Role },
      result: UserWorkspace,
      status: 201,
      errors: [NotFound, UserAlreadyInWorkspace],
      example: { answer: { ...membership, updatedAt: joinedAt } },
    }),
    removeMember: action({
      summary: 'Remove a user from a workspace, or leave it',
      description: 'Anyone may leave; the last OWNER cannot. Only an OWNER removes an OWNER.',
      route: 'DELETE /workspaces/:workspaceId/users',
      audit: { resource: 'member' },
      access: {
        who: 'member',
        roles: ADMINS,
        in: byWorkspaceId,
        rules: ['self', 'owner-for-owner'],
      },
      path: { workspaceId: IdText },
      query: { userEmail: Email },
      result: null,
      status: 204,
      errors: [NotFound, LastOwner],
    }),
    removeMemberByBody: action({
      summary: 'Remove a user from a workspace, the address in the body',
      description:
        'As the DELETE, for intermediaries that drop the query of a DELETE. Anyone may leave.',
      route: 'POST /workspaces/:workspaceId/users/remove',
      audit: { resource: 'member' },
      access: {
        who: 'member',
        roles: ADMINS,
        in: byWorkspaceId,
        rules: ['self', 'owner-for-owner'],
      },
      path: { workspaceId: IdText },
      body: { userEmail: Email },
      result: null,
      status: 204,
      errors: [NotFound, LastOwner],
      example: { body: { userEmail: ada.email } },
    }),
    changeRole: action({
      summary: "Change a member's role",
      description: 'Takes effect within 1 s. Nobody changes their own role.',
      route: 'PUT /workspaces/:workspaceId/users/role',
      audit: { resource: 'member' },
      access: {
        who: 'member',
        roles: ADMINS,
        in: byWorkspaceId,
        rules: ['not-self', 'owner-for-owner'],
      },
      path: { workspaceId: IdText },
      query: { userEmail: Email, role: Role },
      result: UserWorkspace,
      errors: [NotFound, LastOwner],
      example: { answer: { ...membership, updatedAt: '2026-02-01T12:00:00.000Z' } },
    }),
    permissions: action({
      summary: 'What the caller may call in a workspace',
      description: 'The role of the caller and every operation that it opens.',
      route: 'GET /workspaces/:workspaceId/permissions',
      access: { who: 'member', roles: EVERY_ROLE, in: byWorkspaceId },
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
    ...auditActions,
    recordAudit: action({
      summary: 'Keeps audit entries; one whose id is known already counts as kept',
      access: { who: 'internal' },
      body: { entries: z.array(AuditEntry.extend({ workspaceId: Id.nullable() })) },
      result: null,
      idempotent: true,
    }),
    roleOf: action({
      summary: "A person's role in a workspace now; null for who is no member, or not yet",
      access: { who: 'internal' },
      body: { userId: Id, workspaceId: Id },
      result: z.strictObject({ role: Role.nullable() }),
      idempotent: true,
    }),
    namesUser: action({
      summary:
        'Whether any workspace names a user, as owner, as member or as somebody it waits for',
      access: { who: 'internal' },
      body: { userId: Id },
      result: z.strictObject({ named: z.boolean() }),
      idempotent: true,
    }),
    workspacesOf: action({
      summary: 'The workspaces that a person is a member of, by id',
      access: { who: 'internal' },
      body: { userId: Id },
      result: z.strictObject({ workspaceIds: z.array(Id) }),
      idempotent: true,
    }),
    shareOwner: action({
      summary: 'The key of who pays for what a workspace does: `person:7`, or `unverified`',
      access: { who: 'internal' },
      body: { workspaceId: Id },
      result: z.strictObject({ owner: z.string() }),
      idempotent: true,
    }),
  },
);

import { ADMINS, EVERY_ROLE } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Email, IdText, listQuery, pageOf, Role } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { LastOwner, UserAlreadyInWorkspace } from '../workspaces.problems.ts';
import { adaExample, graceExample } from './examples.ts';
import { givesMembership, UserWithRole } from './resources.ts';

const byWorkspaceId = { parameter: 'workspaceId' };
const NO_ETAG = { none: 'no GET shows a single membership' } as const;
const OF_MEMBERS = { none: 'people decide who belongs to a workspace' } as const;
const joinedAt = '2026-01-31T09:30:00.000Z';
const membership = { userId: 2, workspaceId: 1, role: 'MEMBER', ...graceExample, joinedAt };

export const memberActions = {
  listMembers: action({
    summary: 'The members of a workspace',
    description: 'By user id. Service accounts are not among them.',
    route: 'GET /workspaces/:workspaceId/users',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: byWorkspaceId },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(UserWithRole),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [{ id: 1, ...adaExample, role: 'OWNER', joinedAt, pending: false }] },
  }),
  addMember: action({
    summary: 'Add a user to a workspace',
    description:
      'The membership counts once the address is verified; until then `X-Membership-Pending` is `true`, as `pending` is in the list of members. Only an OWNER adds an OWNER; nobody gives a role above their own.',
    route: 'POST /workspaces/:workspaceId/users',
    tool: OF_MEMBERS,
    audit: { resource: 'member' },
    idempotency: { sequence: 'memberships' },
    access: { who: 'member', roles: ADMINS, in: byWorkspaceId, rules: ['owner-for-owner'] },
    path: { workspaceId: IdText },
    query: { userEmail: Email, role: Role },
    ...givesMembership,
    status: 201,
    errors: [NotFound, UserAlreadyInWorkspace],
    example: {
      parameters: { userEmail: graceExample.email, role: membership.role },
      answer: { ...membership, updatedAt: joinedAt },
    },
  }),
  removeMember: action({
    summary: 'Remove a user from a workspace, or leave it',
    description: 'Anyone may leave; the last OWNER cannot. Only an OWNER removes an OWNER.',
    route: 'DELETE /workspaces/:workspaceId/users',
    tool: OF_MEMBERS,
    etag: NO_ETAG,
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
    example: { parameters: { userEmail: graceExample.email } },
  }),
  removeMemberByBody: action({
    summary: 'Remove a user from a workspace, the address in the body',
    description:
      'As the DELETE, for intermediaries that drop the query of a DELETE. Anyone may leave.',
    route: 'POST /workspaces/:workspaceId/users/remove',
    tool: OF_MEMBERS,
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
    example: { body: { userEmail: graceExample.email } },
  }),
  changeRole: action({
    summary: "Change a member's role",
    description: 'Takes effect within 1 s. Nobody changes their own role.',
    route: 'PUT /workspaces/:workspaceId/users/role',
    tool: OF_MEMBERS,
    etag: NO_ETAG,
    audit: { resource: 'member' },
    access: {
      who: 'member',
      roles: ADMINS,
      in: byWorkspaceId,
      rules: ['not-self', 'owner-for-owner'],
    },
    path: { workspaceId: IdText },
    query: { userEmail: Email, role: Role },
    ...givesMembership,
    errors: [NotFound, LastOwner],
    example: {
      parameters: { userEmail: graceExample.email, role: 'GUEST' },
      answer: { ...membership, role: 'GUEST', updatedAt: '2026-02-01T12:00:00.000Z' },
    },
  }),
};

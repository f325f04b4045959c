import { z } from 'zod';
import { ADMINS } from '../../../contract/access-rule.ts';
import { AuditEntry } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, NewEmail, pageOf, Role } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { InvitationNotPending, UserAlreadyInWorkspace } from '../workspaces.problems.ts';
import { invitationExample } from './examples.ts';
import { Invitation } from './resources.ts';

const audit = { resource: 'invitation' };
const ofWorkspace = { resource: 'invitation', parameter: 'id' } as const;
const acceptanceErrors = [NotFound, InvitationNotPending, UserAlreadyInWorkspace];
/** The request that has accepted an invitation, for the audit entry of the member. */
const Request = AuditEntry.pick({ actor: true, via: true, operation: true, requestId: true });

const OF_INVITATIONS = { none: 'people decide who belongs to a workspace' } as const;

export const invitationActions = {
  invite: action({
    summary: 'Invite somebody to a workspace by e-mail',
    description:
      'The address gets a mail with a token, good for 7 days. A further invitation of an address whose invitation is ' +
      'still open, or has expired, renews it: same id, new role, new expiry, and only the token of the latest mail ' +
      'counts. Only an OWNER invites an OWNER; nobody invites above their own role.',
    route: 'POST /workspaces/invitations',
    tool: OF_INVITATIONS,
    audit,
    idempotency: { sequence: 'invitations' },
    access: {
      who: 'member',
      roles: ADMINS,
      in: { parameter: 'workspaceId' },
      rules: ['owner-for-owner'],
    },
    body: { workspaceId: Id, email: NewEmail, role: Role },
    result: Invitation,
    errors: [NotFound, UserAlreadyInWorkspace, QuotaReached],
    example: {
      body: {
        workspaceId: invitationExample.workspaceId,
        email: invitationExample.email,
        role: invitationExample.role,
      },
      answer: invitationExample,
    },
  }),
  listReceivedInvitations: action({
    summary: 'The invitations that the caller has received',
    description:
      "By id: those of the caller's address, none while the address is not verified. Ended ones are among them.",
    route: 'GET /workspaces/invitations/received',
    tool: OF_INVITATIONS,
    access: { who: 'person' },
    query: listQuery,
    result: pageOf(Invitation),
    format: 'page',
    idempotent: true,
    example: { answer: [invitationExample] },
  }),
  listCreatedInvitations: action({
    summary: 'The invitations that the caller has made',
    description:
      'By id, of the workspaces that the caller is a member of, or of one of them. An address that somebody else has ' +
      'invited again since is in the list of that person.',
    route: 'GET /workspaces/invitations/created',
    tool: OF_INVITATIONS,
    access: { who: 'person', memberOf: 'workspaceId' },
    query: { workspaceId: IdText.optional(), ...listQuery },
    result: pageOf(Invitation),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [invitationExample] },
  }),
  listInvitations: action({
    summary: 'The invitations of a workspace',
    description: 'By id, ended ones among them.',
    route: 'GET /workspaces/:workspaceId/invitations',
    tool: OF_INVITATIONS,
    access: { who: 'member', roles: ADMINS, in: { parameter: 'workspaceId' } },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(Invitation),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [invitationExample] },
  }),
  acceptInvitation: action({
    summary: 'Accept an invitation',
    description:
      'The caller joins the workspace at once. For the verified address that was invited; 404 to others.',
    route: 'POST /workspaces/invitations/:id/accept',
    tool: OF_INVITATIONS,
    audit,
    access: { who: 'invitee' },
    path: { id: IdText },
    result: Invitation,
    errors: acceptanceErrors,
    example: { answer: { ...invitationExample, status: 'ACCEPTED' } },
  }),
  acceptInvitationByToken: action({
    summary: 'Accept an invitation by its mailed token',
    description:
      'The token is the right to join: whoever is signed in joins with it, once. It verifies the invited address if ' +
      'that is the address of the caller, who never had another verified one. The audit entry of an invitation for ' +
      'another address has `acceptedByOther` in `changed`. A token whose invitation has ended, or was replaced by a ' +
      'newer mail, is 409.',
    route: 'POST /workspaces/invitations/accept',
    tool: OF_INVITATIONS,
    audit,
    access: { who: 'person' },
    body: {
      token: z
        .string()
        .min(1, 'is required')
        .max(1000, 'must have at most 1000 characters')
        .meta({ description: 'The token of the mail' }),
    },
    result: Invitation,
    errors: acceptanceErrors,
    example: {
      body: { token: 'WyJrZXkiLDMxLDEsIkFiQ2QiXQ.q3v5w8z2' },
      answer: { ...invitationExample, status: 'ACCEPTED' },
    },
  }),
  declineInvitation: action({
    summary: 'Decline an invitation',
    description: 'For the verified address that was invited; 404 to others.',
    route: 'POST /workspaces/invitations/:id/decline',
    tool: OF_INVITATIONS,
    audit,
    access: { who: 'invitee' },
    path: { id: IdText },
    result: Invitation,
    errors: [NotFound, InvitationNotPending],
    example: { answer: { ...invitationExample, status: 'DECLINED' } },
  }),
  resendInvitation: action({
    summary: 'Send the mail of an invitation again',
    description:
      'The invitation is good for 7 days from now, and the earlier mails stay good. An address gets at most three ' +
      'mails of invitations in an hour; beyond them none is sent. Nobody resends an invitation above their own role.',
    route: 'POST /workspaces/invitations/:id/resend',
    tool: OF_INVITATIONS,
    audit,
    access: { who: 'member', roles: ADMINS, in: ofWorkspace },
    path: { id: IdText },
    result: Invitation,
    errors: [NotFound, InvitationNotPending],
    example: { answer: invitationExample },
  }),
  revokeInvitation: action({
    summary: 'Revoke an invitation',
    description: 'Its tokens end with it. It stays in the list.',
    route: 'DELETE /workspaces/invitations/:id',
    tool: OF_INVITATIONS,
    etag: { none: 'no GET shows a single invitation' },
    audit,
    access: { who: 'member', roles: ADMINS, in: ofWorkspace },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound, InvitationNotPending],
  }),
  completeAcceptances: action({
    summary: 'Makes the members of accepted invitations; one that is made already stays as it is',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({ invitationId: Id, userId: Id, request: Request }),
    },
    result: null,
    idempotent: true,
  }),
  revokeInvitationsOfFormerMembers: action({
    summary:
      'Revokes the invitations to users who have left a workspace, and those that they made there',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({ workspaceId: Id, userId: Id, givenTo: z.string() }),
    },
    result: null,
    idempotent: true,
  }),
};

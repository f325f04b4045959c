import { z } from 'zod';
import { AuditEntry } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { Email, Id, Role } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { LastOwner } from '../workspaces.problems.ts';

/** The actions that other services call. */
export const lookupActions = {
  roleOf: action({
    summary: "A person's role in a workspace now; null for who is no member, or not yet",
    access: { who: 'internal' },
    body: { userId: Id, workspaceId: Id },
    result: z.strictObject({ role: Role.nullable() }),
    idempotent: true,
  }),
  namesUser: action({
    summary: 'Whether any workspace names a user, as owner, as member or as somebody it waits for',
    access: { who: 'internal' },
    body: { userId: Id },
    result: z.strictObject({ named: z.boolean() }),
    idempotent: true,
  }),
  removePerson: action({
    summary: 'Ends the memberships of a person; without `by` only checks that they can end',
    description:
      'A workspace without another member is deleted. 409 while the person is the only OWNER of a workspace ' +
      'with other members.',
    access: { who: 'internal' },
    body: {
      userId: Id,
      by: AuditEntry.pick({ actor: true, via: true, operation: true, requestId: true }).optional(),
    },
    result: null,
    errors: [LastOwner],
  }),
  countPending: action({
    summary:
      'How many memberships and invitations of a user wait for the verification of an address',
    access: { who: 'internal' },
    body: { userId: Id, email: Email },
    result: z.strictObject({ count: z.int() }),
    idempotent: true,
  }),
  exists: action({
    summary: 'Whether a workspace exists now',
    access: { who: 'internal' },
    body: { workspaceId: Id },
    result: z.strictObject({ exists: z.boolean() }),
    idempotent: true,
  }),
  autoJoin: action({
    summary: 'Users have verified an address of a listed e-mail domain: they join its workspace',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        userId: Id,
        workspaceId: Id,
        role: Role.exclude(['OWNER']),
        emailKey: z.string(),
      }),
    },
    result: null,
  }),
  activateOwners: action({
    summary: 'Memberships of users were activated: those given the role OWNER become OWNERs',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({ userId: Id, workspaceId: Id }),
    },
    result: null,
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
    summary:
      'The key of who pays for what a workspace does: `person:7`, `unverified` or `transferred`',
    access: { who: 'internal' },
    body: { workspaceId: Id },
    result: z.strictObject({ owner: z.string() }),
    idempotent: true,
  }),
  subscriptionSwitchedOff: action({
    summary: 'Subscriptions to events were switched off: `identity` mails the OWNERs',
    access: { who: 'internal' },
    body: { entries: entriesOf({ workspaceId: Id, subscriptionId: Id, reason: z.string() }) },
    result: null,
  }),
};

import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Email, Id, Role, Timestamp } from '../../../contract/fields.ts';

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
      entries: z.array(
        z.strictObject({
          id: z.string(),
          at: Timestamp,
          userId: Id,
          workspaceId: Id,
          role: Role.exclude(['OWNER']),
          emailKey: z.string(),
        }),
      ),
    },
    result: null,
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
};

import { z } from 'zod';
import { ApiKeyCaller, PersonCaller, ServiceAccountCaller } from '../../../contract/caller.ts';
import { action } from '../../../contract/contract.ts';
import { Email, Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { IdentityProviderUnavailable } from '../identity.problems.ts';
import { KnownUser } from './resources.ts';

/** The actions that other services call. */
export const lookupActions = {
  authenticate: action({
    summary:
      'The person or the service account with this access token; null when the token is not valid now',
    access: { who: 'internal' },
    body: { token: z.string() },
    result: z.strictObject({
      caller: z.discriminatedUnion('kind', [PersonCaller, ServiceAccountCaller]).nullable(),
    }),
    errors: [IdentityProviderUnavailable],
    idempotent: true,
  }),
  authenticateKey: action({
    summary: 'The API key; null when it is not valid now',
    access: { who: 'internal' },
    body: { key: z.string() },
    result: z.strictObject({ caller: ApiKeyCaller.nullable() }),
    idempotent: true,
  }),
  accessToUser: action({
    summary: 'Whether a person is an operator, and whether a user has an id',
    access: { who: 'internal' },
    body: { userId: Id.nullable(), subjectId: Id },
    result: z.strictObject({ operator: z.boolean(), exists: z.boolean() }),
    idempotent: true,
  }),
  isOwnAddress: action({
    summary: "Whether an e-mail address is the user's own",
    access: { who: 'internal' },
    body: { userId: Id, email: z.string() },
    result: z.strictObject({ own: z.boolean() }),
    idempotent: true,
  }),
  usersByIds: action({
    summary: 'Those of these users that there are',
    access: { who: 'internal' },
    body: { ids: z.array(Id).max(1000) },
    result: z.strictObject({ users: z.array(KnownUser) }),
    idempotent: true,
  }),
  userByEmail: action({
    summary: 'The user with this e-mail address, verified or not; null when there is none',
    access: { who: 'internal' },
    body: { email: Email },
    result: z.strictObject({ user: KnownUser.nullable() }),
    idempotent: true,
  }),
  addressChanged: action({
    summary: 'Users have changed their address: the former and the new one are mailed',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        userId: Id,
        /** Whether the account has no password that its owner knows: the address gets a mail for a new one. */
        needsPassword: z.boolean(),
        /** The verified address that was changed, and the times of the token that undoes it, in ms since 1970. */
        undo: z.strictObject({ email: z.string(), since: z.int(), until: z.int() }).nullable(),
      }),
    },
    result: null,
  }),
  memberLeft: action({
    summary: 'Users have left workspaces: the OWNERs are mailed which keys these users have made',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        workspaceId: Id,
        userId: Id,
        ownerIds: z.array(Id),
      }),
    },
    result: null,
  }),
  subscriptionSwitchedOff: action({
    summary: 'Subscriptions to events were switched off: the OWNERs of their workspaces are mailed',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        workspaceId: Id,
        subscriptionId: Id,
        /** A sentence that shows nothing that a user has written. */
        reason: z.string(),
        ownerIds: z.array(Id),
        /** The person who pays for what the workspace does; null without one. */
        payerId: Id.nullable(),
      }),
    },
    result: null,
  }),
};

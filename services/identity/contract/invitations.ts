import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, Timestamp } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';

/** The actions by which the service of workspaces mails invitations and reads their tokens. */
export const invitationActions = {
  mailInvitation: action({
    summary: 'Mails the tokens of invitations, each entry once',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({
        invitationId: Id,
        tokenVersion: Id,
        workspaceId: Id,
        email: z.string(),
        inviterId: Id.nullable(),
        expiresAt: Timestamp,
      }),
    },
    result: null,
  }),
  readInvitationToken: action({
    summary: 'The invitation that a mailed token names; null for a text that is no such token',
    access: { who: 'internal' },
    body: { token: z.string() },
    result: z.strictObject({
      ticket: z
        .strictObject({ invitationId: Id, tokenVersion: Id, addressHash: z.string() })
        .nullable(),
    }),
    idempotent: true,
  }),
  verifyInvited: action({
    summary: 'Verifies the addresses of users who have returned tokens mailed to them',
    access: { who: 'internal' },
    body: { entries: entriesOf({ userId: Id, email: z.string() }) },
    result: null,
    idempotent: true,
  }),
};

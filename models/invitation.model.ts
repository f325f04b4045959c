import type { Role } from '../contract/access-rule.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The states of an invitation. A PENDING invitation whose time has passed counts as EXPIRED. */
export const INVITATION_STATUSES = [
  'PENDING',
  'ACCEPTED',
  'DECLINED',
  'REVOKED',
  'EXPIRED',
] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

const fields = {
  _id: field.number,
  workspaceId: field.number,
  /** The invited address in the inviter's spelling. */
  email: field.string,
  /** The invited address in the form of `emailKey`. */
  emailKey: field.string,
  role: field.stringOf<Role>(),
  status: field.stringOf<InvitationStatus>(),
  /** Set while the stored status is PENDING. A workspace has one such invitation for an address. */
  live: field.flag,
  /** The number of a live invitation in its workspace, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  /** The last actor who invited the address. */
  invitedBy: actor,
  /** The time of the last invitation of the address. */
  invitedAt: field.date,
  /** The version that a mailed token must have, raised by each further invitation. */
  tokenVersion: field.number,
  /** The user id of the person who accepted; null before. */
  acceptedBy: field.nullable(field.number),
  createdAt: field.date,
  expiresAt: field.date,
  ...changedFields,
};
export type InvitationDocument = DocumentOf<typeof fields>;

/** The unique index by which a workspace has at most one live invitation for an address. */
export const LIVE_INVITATION_INDEX = 'live_invitation';
/** The unique index by which at most one live invitation of a workspace holds a quota slot. */
export const INVITATION_SLOT_INDEX = 'workspace_invitation_slot';

export const InvitationModel = defineModel({
  name: 'Invitation',
  collection: 'invitations',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    // The list of the invitations that a person has made uses the index of `rename`.
    [{ emailKey: 1, _id: 1 }],
    [
      { workspaceId: 1, emailKey: 1 },
      {
        name: LIVE_INVITATION_INDEX,
        unique: true,
        partialFilterExpression: { live: { $exists: true } },
      },
    ],
    [
      { workspaceId: 1, quotaSlot: 1 },
      {
        name: INVITATION_SLOT_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { removeByAddress: ['emailKey'], rename: ['invitedBy'] },
  },
});

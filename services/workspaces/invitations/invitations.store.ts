import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/invitation.model.ts';
import { noInvitation } from '../workspaces.problems.ts';

export type StoredInvitation = Readonly<Shown<InvitationDocument>>;

export const invitations = changesOf(InvitationModel, { missing: noInvitation });

/** Milliseconds for which an invitation can be accepted; beyond them it is EXPIRED. */
export const INVITATION_MS = 7 * 24 * 3600 * 1000;

/** The fields that end with the state PENDING. */
export const LIVE_FIELDS = ['live', 'quotaSlot'] as const;

/** Whether the invitation can still be accepted. */
export const isPending = ({ status, expiresAt }: StoredInvitation): boolean =>
  status === 'PENDING' && expiresAt.getTime() > Date.now();

type MailedFields = Pick<
  InvitationDocument,
  '_id' | 'workspaceId' | 'email' | 'invitedBy' | 'tokenVersion' | 'expiresAt'
>;

/** The message that mails the invited address a token. */
export const mailMessage = (invitation: MailedFields): OutboxMessage => {
  const { _id: invitationId, workspaceId, email, invitedBy, tokenVersion } = invitation;
  const inviterId = invitedBy.type === 'person' ? invitedBy.id : null;
  const expiresAt = invitation.expiresAt.toISOString();
  const params = { invitationId, tokenVersion, workspaceId, email, inviterId, expiresAt };
  return { call: 'identity.mailInvitation', params };
};

import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { InvitationModel } from '../../../models/invitation.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';
import { invitations, isPending, LIVE_FIELDS, type StoredInvitation } from './invitations.store.ts';

const EXPIRY = systemChange('workspaces', 'workspaces.expireInvitation', {
  none: 'the time of the expiry is recorded with the invitation',
});

/**
 * Finds a number below `limit` that no live invitation of the workspace has. Expired invitations lose their numbers
 * when no number is free.
 */
export async function findFreeInvitationSlot(workspaceId: number, limit: number): Promise<number> {
  const live = await findLiveSlots(workspaceId, limit);
  const expired = live.filter((invitation) => !isPending(invitation));
  if (live.length >= limit && expired.length > 0) {
    await Promise.all(expired.map(endExpired));
    return findFreeInvitationSlot(workspaceId, limit);
  }
  const slots = live.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, limit, () => tooManyInvitations(limit));
}

const findLiveSlots = (workspaceId: number, limit: number): Promise<StoredInvitation[]> =>
  InvitationModel.find({ workspaceId, quotaSlot: { $exists: true } }, invitations.projection)
    .limit(limit)
    .lean<StoredInvitation[]>()
    .exec();

const endExpired = (invitation: StoredInvitation) =>
  invitations.tryChange(invitation, { set: { status: 'EXPIRED' }, unset: LIVE_FIELDS }, EXPIRY);

const tooManyInvitations = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'INVITATIONS_PER_WORKSPACE',
    limit,
    `A workspace may have ${limit} open invitations at most.`,
  );

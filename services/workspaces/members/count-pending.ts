import { emailKey } from '../../../contract/fields.ts';
import { InvitationModel } from '../../../models/invitation.model.ts';
import { MemberModel } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';

/** Memberships, and invitations, that are counted; further ones are left out of the count. */
const MAX_COUNTED = 1000;

/** Counts the pending memberships of a user that were given to an address, and the open invitations of the address. */
export async function countPending({
  userId,
  email,
}: Params<'workspaces.countPending'>): Promise<number> {
  const key = emailKey(email);
  const [memberships, invitations] = await Promise.all([
    MemberModel.countDocuments(
      { userId, pending: true, givenTo: key, removal: null },
      { limit: MAX_COUNTED },
    ),
    InvitationModel.countDocuments(
      { emailKey: key, live: true, expiresAt: { $gt: new Date() } },
      { limit: MAX_COUNTED },
    ),
  ]);
  return memberships + invitations;
}

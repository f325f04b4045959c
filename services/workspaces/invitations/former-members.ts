import { emailKey } from '../../../contract/fields.ts';
import { InvitationModel } from '../../../models/invitation.model.ts';
import type { Params } from '../../contracts.ts';
import type { UserDirectory } from '../members/user-directory.ts';
import { endWith } from './end-invitation.ts';
import { invitations, type StoredInvitation } from './invitations.store.ts';
import { REVOCATION } from './inviter.ts';

type Departures = Params<'workspaces.revokeInvitationsOfFormerMembers'>['entries'];

/**
 * Revokes the live invitations to former members, so that nobody who was removed comes back by an earlier invitation,
 * and those that former members made. Invitations made after the departure stay.
 */
export async function revokeInvitationsOfFormerMembers(
  departures: Departures,
  directory: UserDirectory,
): Promise<void> {
  const users = await directory.byIds([...new Set(departures.map(({ userId }) => userId))]);
  for (const { workspaceId, userId, givenTo, at } of departures) {
    const user = users.get(userId);
    const keys = user ? [givenTo, emailKey(user.email)] : [givenTo];
    const concerned = [
      { workspaceId, live: true as const, emailKey: { $in: keys } },
      { workspaceId, live: true as const, 'invitedBy.id': userId, 'invitedBy.type': 'person' },
    ];
    for (const filter of concerned) await revokeMadeBefore(new Date(at), filter);
  }
}

async function revokeMadeBefore(at: Date, filter: object): Promise<void> {
  const found = await InvitationModel.find(
    { ...filter, invitedAt: { $lte: at } },
    invitations.projection,
  )
    .lean<StoredInvitation[]>()
    .exec();
  for (const invitation of found) {
    await invitations.tryChange(invitation, endWith('REVOKED'), REVOCATION);
  }
}

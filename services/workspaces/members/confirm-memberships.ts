import { emailKey } from '../../../contract/fields.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { MemberModel, memberId } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { members } from './members.store.ts';
import { activatePendingOwner } from './ownership/owners.ts';
import type { UserDirectory } from './user-directory.ts';

type Activation = Params<'workspaces.activateOwners'>['entries'][number];

const CONFIRMATION = systemChange('workspaces', 'workspaces.confirmMemberships', {
  none: 'the membership was recorded when it was given',
});

/**
 * Activates the pending memberships that were given to the user's verified address, and returns the ids of their
 * workspaces. A membership that was given to another address stays pending. A repeated call has no further effect.
 */
export async function confirmMemberships(
  userId: number,
  directory: UserDirectory,
): Promise<number[]> {
  const user = (await directory.byIds([userId])).get(userId);
  if (!user?.emailVerified) return [];
  const givenTo = emailKey(user.email);
  const rows = await MemberModel.find(
    { userId, pending: true, givenTo },
    { workspaceId: 1 },
  ).lean();
  const activated: number[] = [];
  for (const { workspaceId } of rows) {
    if (await activateMembership(workspaceId, userId, givenTo)) activated.push(workspaceId);
  }
  return activated;
}

/**
 * Activates a membership: the row first, because only the row knows the address. A role OWNER follows by the outbox
 * of that write, so that a crash between the two leaves no OWNER that the workspace's document does not name.
 * Returns false when the membership was given to another address since the read.
 */
async function activateMembership(
  workspaceId: number,
  userId: number,
  givenTo: string,
): Promise<boolean> {
  const condition = { pending: true, givenTo };
  const messages = [{ call: 'workspaces.activateOwners', params: { workspaceId, userId } }];
  const update = { set: { pending: false }, messages };
  const _id = memberId(workspaceId, userId);
  if (!(await members.changeWhere(_id, condition, update, CONFIRMATION))) {
    return (await members.find(_id))?.pending === false; // another process has activated the row
  }
  await activatePendingOwner(workspaceId, userId, CONFIRMATION);
  return true;
}

/** Completes activations of OWNERs. An activation whose membership has ended, or is pending again, has no effect. */
export async function activateOwners(
  activations: readonly Pick<Activation, 'workspaceId' | 'userId'>[],
): Promise<null> {
  for (const { workspaceId, userId } of activations) {
    await activatePendingOwner(workspaceId, userId, CONFIRMATION);
  }
  return null;
}

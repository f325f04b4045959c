import { emailKey } from '../../../contract/fields.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { MemberModel, memberId } from '../../../models/member.model.ts';
import { members } from './members.store.ts';
import { activatePendingOwner } from './ownership/owners.ts';
import type { UserDirectory } from './user-directory.ts';

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

/** Activates a membership. Returns false when the membership was given to another address since the read. */
async function activateMembership(
  workspaceId: number,
  userId: number,
  givenTo: string,
): Promise<boolean> {
  await activatePendingOwner(workspaceId, userId, CONFIRMATION);
  const condition = { pending: true, givenTo };
  const update = { set: { pending: false } };
  const _id = memberId(workspaceId, userId);
  if (!(await members.changeWhere(_id, condition, update, CONFIRMATION))) {
    return (await members.find(_id))?.pending === false; // another process has activated the row
  }
  // Activates a grant of OWNER that came between the first activation and the write of the row.
  await activatePendingOwner(workspaceId, userId, CONFIRMATION);
  return true;
}

import { emailKey } from '../../../contract/fields.ts';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { members } from './members.store.ts';
import { activatePendingOwner } from './ownership/owners.ts';
import type { UserDirectory } from './user-directory.ts';

const CONFIRMATION = systemChange('workspaces', 'workspaces.confirmMemberships', {
  none: 'the membership was recorded when it was given',
});

/**
 * Activates the pending memberships that were given to the address which the user has verified. A
 * membership that was given to another address stays pending. Repeatable; answers the workspaces of the
 * activated memberships.
 */
export async function confirmMemberships(
  userId: number,
  directory: UserDirectory,
): Promise<number[]> {
  const user = (await directory.byIds([userId])).get(userId);
  if (!user?.emailVerified) return [];
  const rows = await MemberModel.find(
    { userId, pending: true, givenTo: emailKey(user.email) },
    { workspaceId: 1 },
  ).lean();
  for (const { _id, workspaceId } of rows) {
    await activatePendingOwner(workspaceId, userId, CONFIRMATION);
    const update = { set: { pending: false } };
    const confirmed = await members.changeWhere(_id, { pending: true }, update, CONFIRMATION);
    // A grant of OWNER that came between the two writes is activated now.
    if (confirmed) await activatePendingOwner(workspaceId, userId, CONFIRMATION);
  }
  return rows.map(({ workspaceId }) => workspaceId);
}

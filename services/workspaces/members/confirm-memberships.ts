import { emailKey } from '../../../contract/fields.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { activatePendingOwner } from './ownership/owners.ts';
import type { UserDirectory } from './user-directory.ts';

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
    await activatePendingOwner(workspaceId, userId);
    const { modifiedCount } = await MemberModel.updateOne(
      { _id, pending: true },
      { $set: { pending: false } },
    );
    // A grant of OWNER that came between the two updates is activated now.
    if (modifiedCount > 0) await activatePendingOwner(workspaceId, userId);
  }
  return rows.map(({ workspaceId }) => workspaceId);
}

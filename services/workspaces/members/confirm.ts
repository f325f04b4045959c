import { emailKey } from '../../../contract/fields.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { activatePendingOwner } from './owners.ts';
import type { People } from './people.ts';

/**
 * Lets the memberships count that were given to the address which the user has now verified. One given
 * to an address that the user then exchanged for another proves nothing and keeps waiting. Repeatable:
 * it answers the workspaces in which it changed something.
 */
export async function confirmMemberships(userId: number, people: People): Promise<number[]> {
  const user = (await people.byIds([userId])).get(userId);
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
    if (modifiedCount > 0) await activatePendingOwner(workspaceId, userId); // one that was made in between
  }
  return rows.map(({ workspaceId }) => workspaceId);
}

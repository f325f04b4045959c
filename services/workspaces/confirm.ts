import { emailKey } from '../../mixins/fields.ts';
import { MemberModel } from '../../models/member.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
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
    await WorkspaceModel.updateOne(
      { _id: workspaceId, pendingOwnerIds: userId },
      { $pull: { pendingOwnerIds: userId }, $addToSet: { ownerIds: userId } },
    );
    await MemberModel.updateOne({ _id, pending: true }, { $set: { pending: false } });
  }
  return rows.map(({ workspaceId }) => workspaceId);
}

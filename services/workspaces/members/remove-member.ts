import type { Role } from '../../../contract/access-rule.ts';
import { MemberModel, memberId } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';
import { type Authority, assertMayTake, isSelf } from './authority.ts';
import { noteDeparture } from './departures.ts';
import { findMember, type Member } from './find-member.ts';
import type { MemberChange } from './member-change.ts';
import { getOwners, rowOf } from './ownership/membership.ts';
import { endMembership } from './ownership/owners.ts';

/**
 * Ends a membership, and answers whose it was and with which role. Issues that are assigned to the user
 * keep their assignee.
 */
export async function removeMember(
  { workspaceId, userEmail }: Params<'workspaces.removeMember'>,
  { authority, directory, markAffected }: MemberChange,
): Promise<{ userId: number; role: Role }> {
  for (let noted = false; ; noted = true) {
    const member = await findMember(workspaceId, userEmail, directory);
    const { user, role } = member;
    if (!isSelf(authority, user.id)) assertMayTake(authority, role);
    markAffected(user.id);
    if (!noted) await noteDeparture(workspaceId, user.id);
    if (await removeRow(member, authority)) return { userId: user.id, role };
  }
}

/**
 * Empties the row, lets the workspace decide, and deletes the row. A removal that is cut off, or refused
 * because the member was made OWNER meanwhile, leaves an OWNER or no member. False when the row is not
 * the one that was read any more.
 */
async function removeRow({ user, ...found }: Member, authority: Authority): Promise<boolean> {
  let { owners } = found;
  const { joinedAt, role = null } = found.row ?? { joinedAt: owners.createdAt };
  const filter = { _id: memberId(owners._id, user.id), joinedAt };
  const emptied = await MemberModel.updateOne({ ...filter, role }, { $set: { role: null } });
  if (found.row && emptied.matchedCount === 0) return false;
  while (!(await endMembership(owners, user.id, authority))) {
    owners = await getOwners(owners._id);
    const row = await rowOf(owners._id, user.id);
    const isOfNewMembership = row !== null && row.joinedAt.getTime() !== joinedAt.getTime();
    if (isOfNewMembership) return true;
  }
  await MemberModel.deleteOne(filter);
  return true;
}

import type { Role } from '../../../contract/access-rule.ts';
import { MemberModel, memberId } from '../../../models/member.model.ts';
import { type Authority, assertMayTake, isSelf } from './authority.ts';
import { noteDeparture } from './departures.ts';
import { findMember, type Member } from './find-member.ts';
import { getOwners, rowOf } from './membership.ts';
import { endStanding } from './owners.ts';
import type { People } from './people.ts';

/**
 * Ends a membership, and tells `touching` first whose. Issues assigned to the member stay so: they are
 * history. Answers who is no member any more, and the role that they had.
 */
export async function removeMember(
  workspaceId: number,
  userEmail: string,
  by: Authority,
  people: People,
  touching: (userId: number) => void,
): Promise<{ userId: number; role: Role }> {
  for (let noted = false; ; noted = true) {
    const member = await findMember(workspaceId, userEmail, people);
    if (!isSelf(by, member.user.id)) assertMayTake(by, member.role);
    touching(member.user.id);
    if (!noted) await noteDeparture(workspaceId, member.user.id);
    if (await remove(member, by)) return { userId: member.user.id, role: member.role };
  }
}

/**
 * The row is emptied first, so that being no OWNER any more leaves nothing to stand on. Then the
 * workspace decides: cut off at any point, or refused because the member was made OWNER meanwhile,
 * they are OWNER still or no member. False when the row is not the one that was found any more.
 */
async function remove({ user, ...found }: Member, by: Authority): Promise<boolean> {
  let { owners } = found;
  const { joinedAt, role = null } = found.row ?? { joinedAt: owners.createdAt };
  const membership = { _id: memberId(owners._id, user.id), joinedAt };
  const emptied = await MemberModel.updateOne({ ...membership, role }, { $set: { role: null } });
  if (found.row && emptied.matchedCount === 0) return false;
  while (!(await endStanding(owners, user.id, by))) {
    owners = await getOwners(owners._id);
    const row = await rowOf(owners._id, user.id);
    if (row && row.joinedAt.getTime() !== joinedAt.getTime()) return true; // given anew since
  }
  await MemberModel.deleteOne(membership);
  return true;
}

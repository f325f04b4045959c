import { MemberModel, memberId } from '../../models/member.model.ts';
import { type Authority, assertMayTake } from './authority.ts';
import { findMember } from './find-member.ts';
import { takeOwnership, takePromise } from './owners.ts';
import type { People } from './people.ts';
import { ownersOf } from './standing.ts';

/**
 * Ends a membership; answers whose. Issues assigned to the member stay so: they are history. An OWNER's
 * row is emptied first, so that being no OWNER any more leaves nothing to stand on; cut off at any
 * point, they are OWNER still or no member.
 */
export async function removeMember(
  workspaceId: number,
  userEmail: string,
  by: Authority,
  people: People,
): Promise<number> {
  const { user, role, pending } = await findMember(workspaceId, userEmail, people);
  if (user.id !== by.userId) assertMayTake(by, role);
  const _id = memberId(workspaceId, user.id);
  if (role === 'OWNER') {
    await MemberModel.updateOne({ _id }, { $set: { role: null } });
    if (!pending || (await takePromise(workspaceId, user.id))) {
      await takeOwnership(workspaceId, user.id, by);
    }
  }
  await MemberModel.deleteOne({ _id });
  const promoted = role !== 'OWNER' && (await isOwner(workspaceId, user.id));
  if (promoted) await takeOwnership(workspaceId, user.id, by); // made OWNER meanwhile
  return user.id;
}

const isOwner = async (workspaceId: number, userId: number): Promise<boolean> =>
  (await ownersOf(workspaceId))?.ownerIds.includes(userId) === true;

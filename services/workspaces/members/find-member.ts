import type { Role } from '../../../contract/access-rule.ts';
import { emailKey } from '../../../contract/fields.ts';
import { noWorkspace } from '../../../contract/problem.ts';
import { type MemberDocument, MemberModel } from '../../../models/member.model.ts';
import { noMember } from '../workspaces.problems.ts';
import { type Owners, ownersOf, rowOf, standingOf } from './membership.ts';
import { nobodyNow, type People, type User } from './people.ts';

/** A member of a workspace, found by address. */
export interface Member {
  user: User;
  role: Role;
  pending: boolean;
  owners: Owners;
  /** Missing when the change that made somebody OWNER was cut off: they are OWNER all the same. */
  row: MemberDocument | null;
}

/**
 * The member with that address: their present one, or, as long as the membership waits, the one it was
 * given to. A stranger's address is answered like an unknown one.
 */
export async function findMember(
  workspaceId: number,
  email: string,
  people: People,
): Promise<Member> {
  const [owners, user] = await Promise.all([ownersOf(workspaceId), people.byEmail(email)]);
  if (!owners) throw noWorkspace(workspaceId);
  const member = user && (await memberOf(owners, user));
  if (member) return member;
  const waiting = await MemberModel.findOne(
    { workspaceId, givenTo: emailKey(email), pending: true },
    { userId: 1 },
  ).lean();
  const found = waiting && (await memberOf(owners, await userOf(waiting.userId, people)));
  if (!found) throw noMember();
  return found;
}

async function memberOf(owners: Owners, user: User): Promise<Member | null> {
  const row = await rowOf(owners._id, user.id);
  const { role, pending } = standingOf(owners, row, user.id);
  return role && { user, role, pending, owners, row };
}

const userOf = async (id: number, people: People): Promise<User> =>
  (await people.byIds([id])).get(id) ?? nobodyNow(id);

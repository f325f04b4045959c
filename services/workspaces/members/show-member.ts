import type { z } from 'zod';
import { emailKey } from '../../../contract/fields.ts';
import type { UserWorkspace as UserWorkspaceContract } from '../contract/resources.ts';
import type { Member } from './find-member.ts';
import type { User } from './user-directory.ts';

export type UserWorkspace = z.output<typeof UserWorkspaceContract>;

/**
 * The person of a member, for other members. A pending membership shows the address to which the membership was
 * given, because members must not learn the user's present address.
 */
export const showPerson = (
  { email, firstName, lastName }: User,
  { pending, row }: Pick<Member, 'pending' | 'row'>,
) => ({
  email: pending && row && row.givenTo !== emailKey(email) ? row.givenTo : email,
  firstName,
  lastName,
});

export function showMembership(member: Member): UserWorkspace {
  const { user, role, workspace, row } = member;
  const joinedAt = row?.joinedAt ?? workspace.createdAt;
  return {
    userId: user.id,
    workspaceId: workspace._id,
    role,
    ...showPerson(user, member),
    joinedAt: joinedAt.toISOString(),
    updatedAt: (row?.updatedAt ?? joinedAt).toISOString(),
  };
}

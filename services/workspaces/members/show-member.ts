import type { z } from 'zod';
import { emailKey } from '../../../contract/fields.ts';
import type { UserWorkspace as UserWorkspaceContract } from '../workspaces.contract.ts';
import type { Member } from './find-member.ts';
import type { User } from './people.ts';

export type UserWorkspace = z.output<typeof UserWorkspaceContract>;

/**
 * Who a member is, to the other members: under the address that they were added by, as long as they
 * have not proved that it is theirs.
 */
export const showPerson = (
  { email, firstName, lastName }: User,
  { pending, row }: Pick<Member, 'pending' | 'row'>,
) => ({
  email: pending && row && row.givenTo !== emailKey(email) ? row.givenTo : email,
  firstName,
  lastName,
});

export function showMembership(member: Member, updatedAt: Date | undefined): UserWorkspace {
  const { user, role, owners, row } = member;
  const joinedAt = row?.joinedAt ?? owners.createdAt;
  return {
    userId: user.id,
    workspaceId: owners._id,
    role,
    ...showPerson(user, member),
    joinedAt: joinedAt.toISOString(),
    updatedAt: (updatedAt ?? joinedAt).toISOString(),
  };
}

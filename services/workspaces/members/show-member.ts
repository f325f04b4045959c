import type { z } from 'zod';
import { emailKey } from '../../../contract/fields.ts';
import type { GivenMembership as GivenMembershipContract } from '../contract/resources.ts';
import type { Member } from './find-member.ts';
import type { User } from './user-directory.ts';

export type GivenMembership = z.output<typeof GivenMembershipContract>;

/** What the address depends on under which a member is shown. */
type ShownBy = Pick<Member, 'pending'> & {
  row: Pick<NonNullable<Member['row']>, 'givenTo'> | null;
};

/**
 * The address under which other members see a member: the address that the membership was given to, while the
 * membership is pending or the present address is not verified. So nobody appears under the address of somebody else.
 */
export function shownEmail({ email, emailVerified }: User, { pending, row }: ShownBy): string {
  // The creator's membership was given to no address, and a deleted user has none.
  if (!row?.givenTo || email === '' || row.givenTo === emailKey(email)) return email;
  return pending || !emailVerified ? row.givenTo : email;
}

/** The person of a member, for other members. */
export const showPerson = (user: User, member: ShownBy) => ({
  email: shownEmail(user, member),
  firstName: user.firstName,
  lastName: user.lastName,
});

export function showMembership(member: Member): GivenMembership {
  const { user, role, pending, workspace, row } = member;
  const joinedAt = row?.joinedAt ?? workspace.createdAt;
  return {
    userId: user.id,
    workspaceId: workspace._id,
    role,
    ...showPerson(user, member),
    joinedAt: joinedAt.toISOString(),
    updatedAt: (row?.updatedAt ?? joinedAt).toISOString(),
    pending,
  };
}

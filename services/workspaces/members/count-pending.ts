import { emailKey } from '../../../contract/fields.ts';
import { MemberModel } from '../../../models/member.model.ts';
import type { Params } from '../../contracts.ts';

/** Memberships that are counted; further memberships are left out of the count. */
const MAX_COUNTED = 1000;

/** Counts the pending memberships of a user that were given to an address. */
export const countPending = ({
  userId,
  email,
}: Params<'workspaces.countPending'>): Promise<number> =>
  MemberModel.countDocuments(
    { userId, pending: true, givenTo: emailKey(email), removal: null },
    { limit: MAX_COUNTED },
  );

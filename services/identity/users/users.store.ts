import { isProblem, NotFound, noUser } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';

export type StoredUser = Shown<UserDocument>;

/**
 * The store of all changes of users, but for known networks (`sign-in.ts`). The unique index of addresses covers
 * tombstones as well, so the `emailKey` of each tombstone is a unique text.
 */
export const users = changesOf(UserModel, {
  missing: noUser,
  tombstone: (id) => ({ emailKey: `removed ${id}` }),
});

/**
 * Changes a user by the update that `decide` returns for the stored user. Returns null when `decide` returns null, or
 * the user has been removed.
 */
export async function changeUser(
  user: StoredUser,
  decide: (
    current: StoredUser,
  ) => Update<UserDocument> | null | Promise<Update<UserDocument> | null>,
  change: ChangeContext,
): Promise<StoredUser | null> {
  let isRefused = false;
  const decideAgain = async (current: StoredUser) => {
    const update = await decide(current);
    isRefused = update === null;
    return update;
  };
  try {
    const stored = await users.change(user, decideAgain, change);
    return isRefused ? null : stored;
  } catch (error) {
    if (isProblem(error, NotFound)) return null;
    throw error;
  }
}

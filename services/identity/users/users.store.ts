import { NotFound, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';

export type StoredUser = Shown<UserDocument>;

/**
 * The one way to write users. Known networks are written apart (`sign-in.ts`). The unique index of
 * addresses holds tombstones as well, so each tombstone has a text of its own there.
 */
export const users = changesOf(UserModel, {
  missing: (id: number) => new Problem(NotFound, `There is no user ${id}.`),
  tombstone: (id) => ({ emailKey: `removed ${id}` }),
});

/**
 * Changes a user by what `decide` answers of the user as stored. Null when `decide` refuses by null, or the
 * user has been removed.
 */
export async function changeUser(
  user: StoredUser,
  decide: (current: StoredUser) => Update<UserDocument> | null,
  change: ChangeContext,
): Promise<StoredUser | null> {
  let isRefused = false;
  const decideAgain = (current: StoredUser) => {
    const update = decide(current);
    isRefused = update === null;
    return update;
  };
  try {
    const stored = await users.change(user, decideAgain, change);
    return isRefused ? null : stored;
  } catch (error) {
    if (error instanceof Problem && error.type === NotFound.code) return null;
    throw error;
  }
}

import { isDuplicateKey } from '../../../mixins/database/database.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { members, ownerRow, unaudited } from './members.store.ts';
import type { Decision } from './ownership/owners.ts';

/** Creates the missing row, without a role, of an OWNER after an interrupted creation of the workspace. */
export async function createOwnerRow(
  { _id, createdAt }: StoredWorkspace,
  { userId, context }: Pick<Decision, 'userId' | 'context'>,
): Promise<void> {
  try {
    await members.create(ownerRow(_id, userId, createdAt), unaudited(context));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

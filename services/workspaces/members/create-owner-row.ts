import { isDuplicateKey } from '../../../mixins/database/database.ts';
import type { StoredWorkspace } from '../workspaces.store.ts';
import { members, ownerRow, unaudited } from './members.store.ts';
import type { Decision } from './ownership/owners.ts';

/** Creates the row that an OWNER lacks whose creation of the workspace was cut off. It has no role. */
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

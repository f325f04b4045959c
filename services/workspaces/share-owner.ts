import { batchFind } from '../../mixins/database/batch-loader.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../models/workspace.model.ts';
import { ownerOfPerson, type ShareOwner, UNKNOWN_OWNER } from '../../support/fair-shares/share.ts';
import type { UserDirectory } from './members/user-directory.ts';

/** The fields of a workspace that its share owner follows from. */
type Payers = Pick<WorkspaceDocument, '_id' | 'ownerIds' | 'createdBy'>;
const findPayers = batchFind<Payers>(WorkspaceModel, { projection: { ownerIds: 1, createdBy: 1 } });

/** The share owner that the work of a workspace is counted for. */
export async function findShareOwner(
  workspaceId: number,
  directory: UserDirectory,
): Promise<ShareOwner> {
  const workspace = await findPayers(workspaceId);
  const userId = workspace && payingUserOf(workspace);
  if (!userId) return UNKNOWN_OWNER;
  const user = (await directory.byIds([userId])).get(userId);
  return ownerOfPerson(userId, user?.emailVerified ?? false);
}

/** The creator while OWNER, else the OWNER with the lowest id. */
function payingUserOf({ ownerIds, createdBy }: Payers): number | undefined {
  const { type, id } = createdBy;
  if (type === 'person' && id !== null && ownerIds.includes(id)) return id;
  return ownerIds.toSorted((a, b) => a - b)[0];
}

import { batchFind } from '../../mixins/database/batch-loader.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../models/workspace.model.ts';
import { ownerOfPerson, type ShareOwner, UNKNOWN_OWNER } from '../../support/fair-shares/share.ts';
import type { People } from './members/people.ts';

/** The fields of a workspace that say who pays. */
type Payers = Pick<WorkspaceDocument, '_id' | 'ownerIds' | 'createdBy'>;
const findPayers = batchFind<Payers>(WorkspaceModel, { projection: { ownerIds: 1, createdBy: 1 } });

/** Who pays for what a workspace does. */
export async function shareOwnerOf(workspaceId: number, people: People): Promise<ShareOwner> {
  const workspace = await findPayers(workspaceId);
  const userId = workspace && payerOf(workspace);
  if (!userId) return UNKNOWN_OWNER;
  const user = (await people.byIds([userId])).get(userId);
  return ownerOfPerson(userId, user?.emailVerified ?? false);
}

/** The creator while OWNER, else the OWNER with the lowest id. */
function payerOf({ ownerIds, createdBy }: Payers): number | undefined {
  const { type, id } = createdBy;
  if (type === 'person' && id !== null && ownerIds.includes(id)) return id;
  return ownerIds.toSorted((a, b) => a - b)[0];
}

import type { Actor } from '../../contract/caller.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { MemberModel, memberId } from '../../models/member.model.ts';
import {
  QUOTA_SLOT_INDEX,
  type WorkspaceDocument,
  WorkspaceModel,
} from '../../models/workspace.model.ts';
import { findFreeQuotaSlot } from './quota-slot.ts';

/**
 * Creates a workspace with its first OWNER, whose address need not be verified. `quota` is the number of
 * workspaces that a person may make; null sets no limit.
 */
export async function createWorkspace(
  name: string,
  ownerId: number,
  createdBy: Actor,
  quota: number | null = null,
): Promise<{ id: number; name: string }> {
  const id = await nextId('workspaces');
  const now = new Date();
  const workspace = {
    _id: id,
    name,
    ownerIds: [ownerId],
    pendingOwnerIds: [],
    createdBy,
    createdAt: now,
    updatedAt: now,
  };
  if (quota === null) await WorkspaceModel.create(workspace);
  else await createWithinQuota(quota, workspace, ownerId);
  await MemberModel.create({
    _id: memberId(id, ownerId),
    workspaceId: id,
    userId: ownerId,
    role: null,
    pending: false,
    givenTo: '',
    joinedAt: now,
    updatedAt: now,
  });
  return { id, name };
}

/** Takes another quota slot when a creation of the same person has taken the chosen one meanwhile. */
async function createWithinQuota(
  quota: number,
  workspace: WorkspaceDocument,
  personId: number,
): Promise<void> {
  for (;;) {
    try {
      const quotaSlot = await findFreeQuotaSlot(personId, quota);
      await WorkspaceModel.create({ ...workspace, quotaSlot });
      return;
    } catch (error) {
      if (!isDuplicateKey(error, QUOTA_SLOT_INDEX)) throw error;
    }
  }
}

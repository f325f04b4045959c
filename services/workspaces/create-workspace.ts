import type { Actor } from '../../contract/caller.ts';
import { isDuplicateKey } from '../../mixins/database/database.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { MemberModel, memberId } from '../../models/member.model.ts';
import {
  QUOTA_SLOT_INDEX,
  type WorkspaceDocument,
  WorkspaceModel,
} from '../../models/workspace.model.ts';
import { freeQuotaSlot } from './quota-slot.ts';

/**
 * A person's own workspace: theirs at once, whether their address is verified or not. `quota` is how
 * many a person may make, null for any number.
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
  else await createWithin(quota, workspace, ownerId);
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

/** Tries again when another creation of the person took the slot first. */
async function createWithin(
  quota: number,
  workspace: WorkspaceDocument,
  personId: number,
): Promise<void> {
  for (;;) {
    try {
      const quotaSlot = await freeQuotaSlot(personId, quota);
      await WorkspaceModel.create({ ...workspace, quotaSlot });
      return;
    } catch (error) {
      if (!isDuplicateKey(error, QUOTA_SLOT_INDEX)) throw error;
    }
  }
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { createInSlot } from '../../mixins/database/quota-slots.ts';
import { QUOTA_SLOT_INDEX } from '../../models/workspace.model.ts';
import { createOwnerRow } from './members/create-owner-row.ts';
import { members, ownerRow, unaudited } from './members/members.store.ts';
import { findFreeQuotaSlot } from './quota-slot.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

export interface NewWorkspace {
  name: string;
  ownerId: number;
  /** The number of workspaces that a person may make; null for no limit. */
  quota: number | null;
}

/** Creates a workspace with its first OWNER, whose address need not be verified. */
export async function createWorkspace(
  { name, ownerId, quota }: NewWorkspace,
  change: ChangeContext,
): Promise<StoredWorkspace> {
  const earlier = await findEarlierAttempt(change);
  if (earlier) {
    await createOwnerRow(earlier, { userId: ownerId, context: change });
    return earlier;
  }
  const createdAt = new Date();
  const workspace = {
    name,
    ownerIds: [ownerId],
    pendingOwnerIds: [],
    createdBy: change.actor,
    createdAt,
    updatedAt: createdAt,
  };
  const created =
    quota === null
      ? await workspaces.create(workspace, change)
      : await createWithinQuota(quota, workspace, change);
  await members.create(ownerRow(created._id, ownerId, createdAt), unaudited(change));
  return created;
}

/** The workspace that an attempt with the same `Idempotency-Key` has stored. The quota counts such a workspace once. */
const findEarlierAttempt = async ({ reservedId }: ChangeContext) =>
  reservedId === undefined ? null : workspaces.find(reservedId);

function createWithinQuota(
  quota: number,
  workspace: Parameters<typeof workspaces.create>[0] & { ownerIds: readonly number[] },
  change: ChangeContext,
): Promise<StoredWorkspace> {
  const [personId = 0] = workspace.ownerIds;
  return createInSlot([QUOTA_SLOT_INDEX], async () => {
    const quotaSlot = await findFreeQuotaSlot(personId, quota);
    return workspaces.create({ ...workspace, quotaSlot }, change);
  });
}

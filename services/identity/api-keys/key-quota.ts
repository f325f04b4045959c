import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { ApiKeyModel } from '../../../models/api-key.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';

/**
 * Finds a number below `limit` that no live key of the workspace has. Expired keys lose their numbers when the quota is reached.
 */
export async function findFreeKeySlot(workspaceId: number, limit: number): Promise<number> {
  let taken = await findTakenSlots(workspaceId, limit);
  if (taken.length >= limit) {
    await freeExpiredSlots(workspaceId);
    taken = await findTakenSlots(workspaceId, limit);
  }
  return chooseFreeSlot(taken, limit, () => tooManyKeys(limit));
}

async function findTakenSlots(workspaceId: number, limit: number): Promise<number[]> {
  const holders = await ApiKeyModel.find(
    { workspaceId, quotaSlot: { $exists: true } },
    { quotaSlot: 1 },
  )
    .limit(limit)
    .lean();
  return holders.flatMap(({ quotaSlot }) => quotaSlot ?? []);
}

/** An expiry is no change of the key, so that the update leaves `revision` as it is. */
async function freeExpiredSlots(workspaceId: number): Promise<void> {
  const expired = { $lte: new Date() };
  await ApiKeyModel.updateMany(
    { workspaceId, quotaSlot: { $exists: true }, expiresAt: expired },
    { $unset: { quotaSlot: 1 } },
  );
}

const tooManyKeys = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'API_KEYS_PER_WORKSPACE',
    limit,
    `A workspace may have ${limit} API keys at most that are neither revoked nor expired.`,
  );

import { QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { nthFreeSlot } from '../../support/quota-slot.ts';

/**
 * Finds a number below `limit` that no workspace of the person has. A unique index admits each number once, so
 * concurrent creations stay within the quota and a removed workspace frees its number.
 */
export async function findFreeQuotaSlot(personId: number, limit: number): Promise<number> {
  const made = await WorkspaceModel.find(
    { 'createdBy.id': personId, 'createdBy.type': 'person' },
    { quotaSlot: 1 },
  )
    .limit(limit)
    .lean();
  if (made.length >= limit) throw tooManyWorkspaces(limit);
  const taken = made.flatMap(({ quotaSlot }) => quotaSlot ?? []);
  return nthFreeSlot(taken, Math.floor(Math.random() * (limit - made.length)));
}

const tooManyWorkspaces = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'WORKSPACES_PER_PERSON',
    limit,
    `A person may make ${limit} workspaces at most.`,
  );

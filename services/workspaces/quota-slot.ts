import { QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { chooseFreeSlot } from '../../support/quota-slot.ts';

/**
 * Finds a number below `limit` that no workspace of the person has. A removed workspace frees its number.
 */
export async function findFreeQuotaSlot(personId: number, limit: number): Promise<number> {
  const made = await WorkspaceModel.find(
    { 'createdBy.id': personId, 'createdBy.type': 'person' },
    { quotaSlot: 1 },
  )
    .limit(limit)
    .lean();
  const slots = made.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, limit, () => tooManyWorkspaces(limit));
}

const tooManyWorkspaces = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'WORKSPACES_PER_PERSON',
    limit,
    `A person may make ${limit} workspaces at most.`,
  );

import { QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';

/**
 * A number below `limit` that none of the person's workspaces holds. A unique index lets one workspace
 * of a person hold a number, so that of creations at once no more succeed than the quota allows, and
 * a workspace that is not there any more holds none.
 */
export async function freeQuotaSlot(personId: number, limit: number): Promise<number> {
  const made = await WorkspaceModel.find(
    { 'createdBy.id': personId, 'createdBy.type': 'person' },
    { quotaSlot: 1 },
  )
    .limit(limit)
    .lean();
  if (made.length >= limit) throw tooManyWorkspaces(limit);
  const taken = made.flatMap(({ quotaSlot }) => quotaSlot ?? []);
  return nthFree(taken, Math.floor(Math.random() * (limit - made.length)));
}

/** The free number that has `n` free numbers below it. A random `n` keeps creations at once apart. */
export function nthFree(taken: readonly number[], n: number): number {
  let slot = n;
  for (const used of taken.toSorted((a, b) => a - b)) {
    if (used > slot) break;
    slot++;
  }
  return slot;
}

const tooManyWorkspaces = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'WORKSPACES_PER_PERSON',
    limit,
    `A person may make ${limit} workspaces at most.`,
  );

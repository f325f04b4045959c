import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { nthFreeSlot } from '../../../support/quota-slot.ts';

/**
 * Finds a number below `limit` that no subscription of the workspace has. A unique index admits each number once, so
 * concurrent creations stay within the quota.
 */
export async function findFreeSubscriptionSlot(
  workspaceId: number,
  limit: number,
): Promise<number> {
  const holders = await EventSubscriptionModel.find({ workspaceId }, { quotaSlot: 1 })
    .limit(limit)
    .lean();
  const taken = holders.map(({ quotaSlot }) => quotaSlot);
  if (taken.length >= limit) throw tooManySubscriptions(limit);
  return nthFreeSlot(taken, Math.floor(Math.random() * (limit - taken.length)));
}

const tooManySubscriptions = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'EVENT_SUBSCRIPTIONS_PER_WORKSPACE',
    limit,
    `A workspace may have ${limit} event subscriptions at most.`,
  );

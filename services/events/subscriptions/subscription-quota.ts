import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';

/** Finds a number below `limit` that no subscription of the workspace has. */
export async function findFreeSubscriptionSlot(
  workspaceId: number,
  limit: number,
): Promise<number> {
  const holders = await EventSubscriptionModel.find({ workspaceId }, { quotaSlot: 1 })
    .limit(limit)
    .lean();
  const slots = holders.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, limit, () => tooManySubscriptions(limit));
}

const tooManySubscriptions = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'EVENT_SUBSCRIPTIONS_PER_WORKSPACE',
    limit,
    `A workspace may have ${limit} event subscriptions at most.`,
  );

import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { type StoredSubscription, subscriptions } from './subscriptions.store.ts';

/** Removes a subscription; its deliveries are removed by its outbox. */
export async function removeSubscription(
  subscription: StoredSubscription,
  change: ChangeContext,
): Promise<null> {
  const params = { subscriptionId: subscription._id };
  await subscriptions.remove(subscription, change, {
    messages: [{ call: 'events.removeDeliveries', params }],
  });
  return null;
}

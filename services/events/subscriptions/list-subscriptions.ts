import { ascendingBy } from '../../../contract/page-order.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { EventSubscriptionModel } from '../../../models/event-subscription.model.ts';
import type { Params } from '../../contracts.ts';
import { showSubscription } from './show-subscription.ts';
import { subscriptions } from './subscriptions.store.ts';

/** The subscriptions of a workspace, by id. */
export function listSubscriptions({
  workspaceId,
  ...position
}: Params<'events.listSubscriptions'>) {
  const order = ascendingBy('_id');
  const { projection } = subscriptions;
  const query = { filter: { workspaceId }, order, position, projection };
  return readPage(EventSubscriptionModel, query, showSubscription);
}

import type { EventSubscription } from '../contract/resources.ts';
import type { StoredSubscription } from './subscriptions.store.ts';

export const showSubscription = ({
  _id: id,
  createdAt,
  updatedAt,
  ...subscription
}: StoredSubscription): EventSubscription => ({
  id,
  workspaceId: subscription.workspaceId,
  url: subscription.url,
  events: [...subscription.events],
  enabled: subscription.enabled,
  disabledReason: subscription.disabledReason,
  createdBy: subscription.createdBy,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

import type { AllowList } from '@workspace-automation/outbound-http';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { New } from '../../../mixins/changes/change-store.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { createInSlot } from '../../../mixins/database/quota-slots.ts';
import {
  type EventSubscriptionDocument,
  SUBSCRIPTION_QUOTA_INDEX,
} from '../../../models/event-subscription.model.ts';
import { randomWebhookSecret } from '../../../support/standard-webhooks.ts';
import type { Params } from '../../contracts.ts';
import { showSubscription } from './show-subscription.ts';
import { findFreeSubscriptionSlot } from './subscription-quota.ts';
import type { SubscriptionSecrets } from './subscription-secrets.ts';
import { type StoredSubscription, subscriptions } from './subscriptions.store.ts';
import { assertTarget } from './target-url.ts';

/** The greatest number of subscriptions of a workspace without a quota: an event costs a write for each of them. */
const MAX_SUBSCRIPTIONS = 1_000;

/**
 * Creates a subscription. The secret is null where an earlier attempt of the request has stored the subscription,
 * whose secret is another one.
 */
export async function createSubscription(
  { workspaceId, url, events, secret: given }: Params<'events.createSubscription'>,
  change: ChangeContext,
  { allowed, secrets }: { allowed: AllowList; secrets: SubscriptionSecrets },
) {
  const target = assertTarget(url, allowed);
  const earlier =
    change.reservedId === undefined ? null : await subscriptions.find(change.reservedId);
  if (earlier) return { ...showSubscription(earlier), secret: null };
  const _id = change.reservedId ?? (await nextId('event_subscriptions'));
  const secret = given ?? randomWebhookSecret();
  const sealedSecret = await secrets.seal({ workspaceId, subscriptionId: _id }, secret);
  const now = new Date();
  const wanted = {
    _id,
    workspaceId,
    url: target,
    events: [...new Set(events)],
    enabled: true,
    disabledReason: null,
    sealedSecret,
    lane: { raised: 0, pending: 0 },
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
  };
  const created = await createWithinQuota(wanted, change);
  const isNew = 'sealedSecret' in created && created.sealedSecret === sealedSecret;
  return { ...showSubscription(created), secret: isNew ? secret : null };
}

function createWithinQuota(
  subscription: Omit<New<EventSubscriptionDocument>, 'quotaSlot'>,
  change: ChangeContext,
): Promise<StoredSubscription> {
  const limit = environment.EVENT_SUBSCRIPTIONS_PER_WORKSPACE ?? MAX_SUBSCRIPTIONS;
  return createInSlot([SUBSCRIPTION_QUOTA_INDEX], async () => {
    const quotaSlot = await findFreeSubscriptionSlot(subscription.workspaceId, limit);
    return subscriptions.create({ ...subscription, quotaSlot }, change);
  });
}

import { isDeepStrictEqual } from 'node:util';
import type { AllowList } from '@workspace-automation/outbound-http';
import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { EventSubscriptionDocument } from '../../../models/event-subscription.model.ts';
import type { Params } from '../../contracts.ts';
import type { EventSubscription } from '../contract/resources.ts';
import { showSubscription } from './show-subscription.ts';
import { type StoredSubscription, subscriptions } from './subscriptions.store.ts';
import { assertTarget } from './target-url.ts';

type Given = Params<'events.updateSubscription'>;

/** Changes the given fields that differ. */
export async function updateSubscription(
  subscription: StoredSubscription,
  { workspaceId, url, events, enabled }: Given,
  change: ChangeContext,
  allowed: AllowList,
): Promise<EventSubscription> {
  if (workspaceId !== undefined && workspaceId !== subscription.workspaceId) {
    throw invalidField('workspaceId', 'contradiction', 'is not the workspace of the subscription');
  }
  const wanted = {
    url: url === undefined || url === subscription.url ? url : assertTarget(url, allowed),
    events: events && [...new Set(events)],
    enabled,
  };
  const decide = (current: StoredSubscription) => decideChange(current, wanted);
  return showSubscription(await subscriptions.change(subscription, decide, change));
}

interface Wanted {
  url: string | undefined;
  events: EventSubscription['events'] | undefined;
  enabled: boolean | undefined;
}

/** The change of the fields that differ; null without a difference. */
function decideChange(
  current: StoredSubscription,
  wanted: Wanted,
): Update<EventSubscriptionDocument> | null {
  const { enabled } = wanted;
  const set = {
    ...differing(current, wanted, 'url'),
    ...differing(current, wanted, 'events'),
    ...(enabled === undefined || enabled === current.enabled
      ? {}
      : { enabled, disabledReason: null }),
  };
  if (!Object.keys(set).length) return null;
  const isAnotherReceiver = 'url' in set || 'enabled' in set;
  return {
    set,
    unset: isAnotherReceiver ? ['failingSince'] : [],
    messages: [wakeMessage(current._id)],
  };
}

function differing<K extends 'url' | 'events'>(
  current: StoredSubscription,
  wanted: Wanted,
  field: K,
): Partial<Pick<EventSubscriptionDocument, K>> {
  const value = wanted[field];
  if (value === undefined || isDeepStrictEqual(value, current[field])) return {};
  return { [field]: value } as Partial<Pick<EventSubscriptionDocument, K>>;
}

/** The message that lets a process look at the pending deliveries of a subscription that was changed. */
export const wakeMessage = (subscriptionId: number) => ({
  call: 'events.wakeDeliveries',
  params: { subscriptionId },
});

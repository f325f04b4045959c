import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../models/event-subscription.model.ts';
import type { Params } from '../../contracts.ts';
import type { FailingSubscription, LongestFailures } from '../contract/operations.ts';

/** Failures that are told to metrics, which have a series for each. Shorter ones are left out. */
const MAX_LONGEST = 50;
/** An enabled subscription without a successful attempt since a failed one. */
const FAILS = { enabled: true, failingSince: { $exists: true } } as const;

const FIELDS = {
  workspaceId: 1,
  url: 1,
  enabled: 1,
  disabledReason: 1,
  failingSince: 1,
  'lane.pending': 1,
} as const;
type ReadSubscription = Pick<
  EventSubscriptionDocument,
  '_id' | 'workspaceId' | 'url' | 'enabled' | 'disabledReason' | 'failingSince'
> & { lane: Pick<EventSubscriptionDocument['lane'], 'pending'> };

/** Lists failing subscriptions of all workspaces. Reads all subscriptions, for no index serves operators alone. */
export async function listFailingSubscriptions({
  limit,
}: Params<'events.listFailingSubscriptions'>): Promise<{ subscriptions: FailingSubscription[] }> {
  const found = await EventSubscriptionModel.find(
    { $or: [FAILS, { disabledReason: { $type: 'string' } }], removedAt: null },
    FIELDS,
  )
    .sort({ enabled: -1, failingSince: 1, _id: 1 })
    .limit(limit)
    .lean<ReadSubscription[]>();
  return { subscriptions: found.map(showFailing) };
}

const showFailing = ({
  _id: id,
  workspaceId,
  url,
  enabled,
  disabledReason,
  failingSince,
  lane: { pending },
}: ReadSubscription): FailingSubscription => ({
  id,
  workspaceId,
  origin: new URL(url).origin,
  enabled,
  disabledReason,
  failingSince: failingSince?.toISOString() ?? null,
  pending: Math.max(0, pending),
});

/** Finds the failures that have lasted for longest, by an index. */
export async function findLongestFailures(): Promise<LongestFailures> {
  const found = await EventSubscriptionModel.find(FAILS, { failingSince: 1 })
    .sort({ failingSince: 1, _id: 1 })
    .limit(MAX_LONGEST)
    .lean<Pick<ReadSubscription, '_id' | 'failingSince'>[]>();
  const failures = found.flatMap(({ _id: subscriptionId, failingSince }) =>
    failingSince ? [{ subscriptionId, since: failingSince.toISOString() }] : [],
  );
  return { failures };
}

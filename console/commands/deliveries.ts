import type { FailingSubscription } from '../../services/events/contract/operations.ts';
import {
  DeliveryStatusName,
  type EventDelivery,
} from '../../services/events/contract/resources.ts';
import { parseStatus, refuseFilters } from '../delivery-filters.ts';
import { parseId } from '../ids.ts';
import { duration, table } from '../table.ts';
import type { Command } from './command.ts';

/** `deliveries` lists failing subscriptions; `deliveries --subscription <id>` the deliveries of a subscription. */
export const deliveries: Command = {
  command: 'deliveries',
  description: 'List the subscriptions whose deliveries fail, or the deliveries of a subscription',
  options: [
    { option: '--subscription <subscriptionId>', description: 'its deliveries, newest first' },
    { option: '--status <status>', description: 'of these, PENDING, DELIVERED or FAILED ones' },
    { option: '--limit <limit>', description: 'how many, 1 to 1000 (20)' },
  ],
  async print(operator, { options: { subscription, status, limit = 20 } }) {
    if (subscription === undefined) {
      refuseFilters({ status });
      const found = await operator.ask('events.listFailingSubscriptions', { limit: String(limit) });
      return showFailing(found.subscriptions, Date.now());
    }
    const { items } = await operator.call('events.listDeliveries', {
      id: parseId('subscription', subscription),
      limit: String(limit),
      ...(status === undefined ? {} : { status: parseStatus(DeliveryStatusName.options, status) }),
    });
    return showDeliveries(items);
  },
};

/** Formats failing subscriptions; `now` is in milliseconds since the epoch. Pure, for tests. */
export const showFailing = (items: readonly FailingSubscription[], now: number): string =>
  items.length
    ? table(
        ['subscription', 'workspace', 'receiver', 'enabled', 'failing for', 'pending', 'reason'],
        items.map((item) => [
          item.id,
          item.workspaceId,
          item.origin,
          item.enabled ? 'yes' : 'no',
          item.failingSince && duration(now - Date.parse(item.failingSince)),
          item.pending,
          item.disabledReason,
        ]),
      )
    : 'no subscription fails';

/** Formats deliveries. Pure, for tests. */
export const showDeliveries = (items: readonly EventDelivery[]): string =>
  items.length
    ? table(
        [
          'delivery',
          'event',
          'resource',
          'status',
          'attempts',
          'answer',
          'created',
          'next attempt',
        ],
        items.map((item) => [
          item.id,
          item.type,
          `${item.resource.type} ${item.resource.id}`,
          item.status,
          item.attempts,
          item.response?.status,
          item.createdAt,
          item.nextAttemptAt,
        ]),
      )
    : 'no deliveries';

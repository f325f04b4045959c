import { DeliveryStatusName } from '../../services/events/contract/resources.ts';
import type { Console } from '../console.ts';
import { parseStatus, parseTime, refuseFilters } from '../delivery-filters.ts';
import { parseId } from '../ids.ts';
import type { Command } from './command.ts';

/** A delivery that is PENDING is sent anyway. */
const ENDED = DeliveryStatusName.exclude(['PENDING']).options;

/** `replay <id>` sends a delivery again; `replay --subscription <id>` the deliveries of a subscription that failed. */
export const replay: Command = {
  command: 'replay [id]',
  description: 'Send a delivery again, or the failed deliveries of a subscription',
  options: [
    { option: '--subscription <subscriptionId>', description: 'its deliveries, up to 10,000' },
    { option: '--status <status>', description: 'of these, FAILED (default) or DELIVERED ones' },
    { option: '--from <time>', description: 'of events from then on: 2026-01-31T09:30Z, or a day' },
    { option: '--to <time>', description: 'of events until then' },
  ],
  async print(operator, { id, options: { subscription, status, from, to } }) {
    if ((id === undefined) === (subscription === undefined)) {
      throw new Error(
        'Either replay <id>, of a delivery, or replay --subscription <subscriptionId>.',
      );
    }
    const filters = { status, from, to };
    if (subscription !== undefined) return replaySome(operator, subscription, filters);
    refuseFilters(filters);
    const found = await operator.call('events.replayDelivery', { id: parseId('id', id) });
    return `delivery ${found.id} is ${found.status}: it is sent again to subscription ${found.subscriptionId}`;
  },
};

type Filters = Record<'status' | 'from' | 'to', unknown>;

async function replaySome(
  operator: Console,
  subscription: unknown,
  { status, from, to }: Filters,
): Promise<string> {
  const id = parseId('subscription', subscription);
  const { queued } = await operator.call('events.replayDeliveries', {
    id,
    ...(status === undefined ? {} : { status: parseStatus(ENDED, status) }),
    ...(from === undefined ? {} : { from: parseTime('from', from) }),
    ...(to === undefined ? {} : { to: parseTime('to', to) }),
  });
  return `${queued} deliveries are sent again to subscription ${id}`;
}

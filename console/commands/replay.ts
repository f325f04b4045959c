import { DeliveryStatusName } from '../../services/events/contract/resources.ts';
import { parseStatus, STATUS_ALONE } from '../delivery-status.ts';
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
  ],
  async print(operator, { id, options: { subscription, status } }) {
    if ((id === undefined) === (subscription === undefined)) {
      throw new Error(
        'Either replay <id>, of a delivery, or replay --subscription <subscriptionId>.',
      );
    }
    if (subscription === undefined) {
      if (status !== undefined) throw new Error(STATUS_ALONE);
      const found = await operator.call('events.replayDelivery', { id: parseId('id', id) });
      return `delivery ${found.id} is ${found.status}: it is sent again to subscription ${found.subscriptionId}`;
    }
    const subscriptionId = parseId('subscription', subscription);
    const { queued } = await operator.call('events.replayDeliveries', {
      id: subscriptionId,
      ...(status === undefined ? {} : { status: parseStatus(ENDED, status) }),
    });
    return `${queued} deliveries are sent again to subscription ${subscriptionId}`;
  },
};

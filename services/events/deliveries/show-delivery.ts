import type { EventDeliveryDocument } from '../../../models/event-delivery.model.ts';
import type { EventDelivery } from '../contract/resources.ts';

export const showDelivery = (delivery: Readonly<EventDeliveryDocument>): EventDelivery => ({
  id: delivery._id,
  subscriptionId: delivery.subscriptionId,
  type: delivery.type,
  resource: delivery.resource,
  status: delivery.status,
  attempts: delivery.attempts,
  nextAttemptAt: nextAttemptOf(delivery)?.toISOString() ?? null,
  response: delivery.response,
  createdAt: delivery.createdAt.toISOString(),
});

/** A first attempt is due from before its event on (`firstAttemptAt`). */
const nextAttemptOf = ({ nextAttemptAt, createdAt }: Readonly<EventDeliveryDocument>) =>
  nextAttemptAt && nextAttemptAt < createdAt ? createdAt : nextAttemptAt;

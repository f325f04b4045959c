import {
  DELIVERY_STATUSES,
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';

/** What a removal reads of a delivery. */
export type RemovedDelivery = Pick<EventDeliveryDocument, '_id' | 'eventId' | 'workspaceId'>;
export const REMOVED_FIELDS = { eventId: 1, workspaceId: 1 } as const;

/**
 * Removes deliveries of one workspace, and their events that no other delivery has. The events go first: a removal that
 * ends in between is repeated for the deliveries, and leaves no event behind.
 */
export async function removeWithEvents(
  deliveries: readonly RemovedDelivery[],
  condition: Partial<Record<'status', unknown>> = {},
): Promise<void> {
  const unshared = await findUnshared(deliveries);
  if (unshared.length) await OutgoingEventModel.deleteMany({ _id: { $in: unshared } });
  const ids = deliveries.map(({ _id }) => _id);
  await EventDeliveryModel.collection.deleteMany({ _id: { $in: ids }, ...condition } as never);
}

/** The events that have no further delivery. */
async function findUnshared(deliveries: readonly RemovedDelivery[]): Promise<string[]> {
  const [first] = deliveries;
  if (!first) return [];
  const removed = Map.groupBy(deliveries, ({ eventId }) => eventId);
  const eventId = { $in: [...removed.keys()] };
  const { workspaceId } = first;
  const kept = await EventDeliveryModel.collection
    .aggregate<{ _id: string; count: number }>([
      { $match: { workspaceId, status: { $in: [...DELIVERY_STATUSES] }, eventId } },
      { $group: { _id: '$eventId', count: { $sum: 1 } } },
    ])
    .toArray();
  return kept.filter(({ _id, count }) => count === removed.get(_id)?.length).map(({ _id }) => _id);
}

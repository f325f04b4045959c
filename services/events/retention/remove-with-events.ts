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
 * Removes deliveries of one workspace, then the events that no delivery is left of: of removals side by side the later one
 * finds none. A kill in between leaves events to their retention.
 */
export async function removeWithEvents(
  deliveries: readonly RemovedDelivery[],
  condition: Partial<Record<'status', unknown>> = {},
): Promise<void> {
  const ids = deliveries.map(({ _id }) => _id);
  await EventDeliveryModel.collection.deleteMany({ _id: { $in: ids }, ...condition } as never);
  const unused = await findUnused(deliveries);
  if (unused.length) await OutgoingEventModel.deleteMany({ _id: { $in: unused } });
}

/** The events of removed deliveries that have no delivery any more. */
async function findUnused(removed: readonly RemovedDelivery[]): Promise<string[]> {
  const [first] = removed;
  if (!first) return [];
  const eventIds = [...new Set(removed.map(({ eventId }) => eventId))];
  const { workspaceId } = first;
  const used: string[] = await EventDeliveryModel.collection.distinct('eventId', {
    workspaceId,
    status: { $in: [...DELIVERY_STATUSES] }, // every status, as the index needs it
    eventId: { $in: eventIds },
  } as never);
  const usedIds = new Set(used);
  return eventIds.filter((id) => !usedIds.has(id));
}

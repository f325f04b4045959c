import type { EventResource, RecordedEvent } from '../../../contract/outgoing-event.ts';
import { OutgoingEventModel } from '../../../models/outgoing-event.model.ts';

/** Microseconds of a millisecond: events of one resource in the same millisecond have different positions. */
const PER_MS = 1_000;

/** A resource as one text, with its workspace, because some resources have an id in their workspace only. */
export const resourceKeyOf = (workspaceId: number, { type, id }: EventResource): string =>
  `${workspaceId}:${type}:${id}`;

/** An event with its resource as one text, and its place among the events of that resource. */
export interface PlacedEvent extends RecordedEvent {
  resourceKey: string;
  position: number;
  /** Whether an earlier recording has kept the event. */
  isKnown: boolean;
}

/**
 * Places events behind all that are kept of their resources. A position is the time of the change, unless an earlier event
 * of the resource has a later time: clocks of processes differ. Two processes that record the same event place it alike.
 */
export async function placeEvents(events: readonly RecordedEvent[]): Promise<PlacedEvent[]> {
  const keyed = events.map((event) => ({
    ...event,
    resourceKey: resourceKeyOf(event.workspaceId, event.resource),
    position: Date.parse(event.at) * PER_MS,
  }));
  const known = await findLater(keyed);
  const ids = new Set(keyed.map(({ id }) => id));
  const latest = new Map<string, number>();
  for (const { _id, resourceKey, position } of known.values()) {
    if (!ids.has(_id)) latest.set(resourceKey, Math.max(position, latest.get(resourceKey) ?? 0));
  }
  return keyed.map((event) => {
    const before = latest.get(event.resourceKey) ?? 0;
    const same = known.get(event.id);
    const position = same?.position ?? Math.max(event.position, before + 1);
    latest.set(event.resourceKey, Math.max(position, before));
    return { ...event, position, isKnown: same !== undefined };
  });
}

interface KnownEvent {
  _id: string;
  resourceKey: string;
  position: number;
}

/** The kept events of the same resources that are not before all of these events, by id. */
async function findLater(
  events: readonly Omit<PlacedEvent, 'position' | 'isKnown'>[],
): Promise<ReadonlyMap<string, KnownEvent>> {
  const first = Math.min(...events.map(({ at }) => Date.parse(at) * PER_MS));
  const resourceKey = { $in: [...new Set(events.map((event) => event.resourceKey))] };
  const found = await OutgoingEventModel.collection
    .find<KnownEvent>({ resourceKey, position: { $gte: first } } as never, {
      projection: { resourceKey: 1, position: 1 },
    })
    .toArray();
  return new Map(found.map((event) => [event._id, event]));
}

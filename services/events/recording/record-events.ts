import type { RecordedEvent } from '../../../contract/outgoing-event.ts';
import { insertAll } from '../../../mixins/database/bulk-writes.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import {
  type OutgoingEventDocument,
  OutgoingEventModel,
} from '../../../models/outgoing-event.model.ts';
import { firstAttemptAt, RETRY_MS } from '../deliveries/delivery-times.ts';
import { removeDeliveries } from '../retention/remove-deliveries.ts';
import { raiseLanes } from './lanes.ts';
import { type PlacedEvent, placeEvents } from './positions.ts';
import { countRecorded, type RecordedBytes } from './recorded-bytes.ts';
import { type EnabledSubscription, findEnabled } from './wanted.ts';

/**
 * Pending deliveries of a subscription. A delivery beyond them is recorded as FAILED, without an attempt: it stays in the
 * list and can be replayed.
 */
const MAX_PENDING = 20_000;

type Wake = (subscriptionIds: readonly number[]) => Promise<void>;
type NoteRecorded = (recorded: RecordedBytes) => void;

/**
 * Keeps events, and a delivery for each enabled subscription that asks for them. A repetition keeps nothing twice: events
 * have the ids of their outbox entries, and a subscription has one delivery of an event.
 */
export async function recordEvents(
  entries: readonly RecordedEvent[],
  wake: Wake,
  noteRecorded: NoteRecorded = () => undefined,
): Promise<null> {
  if (!entries.length) return null;
  const subscriptions = await findEnabled(entries.map(({ workspaceId }) => workspaceId));
  const wanting = (event: RecordedEvent) =>
    subscriptions.filter(
      ({ workspaceId, events }) => workspaceId === event.workspaceId && events.includes(event.type),
    );
  const wanted = entries.filter((event) => wanting(event).length > 0);
  if (!wanted.length) return null;
  const placed = await placeEvents(wanted);
  const fresh = placed.filter(({ isKnown }) => !isKnown);
  const { events, recorded } = await eventsOf(fresh, (event) => wanting(event).length);
  await insertOnce(OutgoingEventModel.collection, events);
  const room = new Map(subscriptions.map(({ _id, lane }) => [_id, MAX_PENDING - lane.pending]));
  const deliveries = await Promise.all(
    placed.flatMap((event) => wanting(event).map((to) => deliveryOf(event, to, room))),
  );
  const inserted = await insertOnce(EventDeliveryModel.collection, deliveries);
  await wakeLanes(deliveries, inserted, wake);
  noteRecorded(recorded);
  return null;
}

/**
 * Lets processes look for the deliveries, also for those that an earlier recording has inserted: it may have ended before
 * this step. Deliveries of subscriptions that were removed meanwhile are removed.
 */
async function wakeLanes(
  deliveries: readonly EventDeliveryDocument[],
  inserted: readonly EventDeliveryDocument[],
  wake: Wake,
): Promise<void> {
  const counts = new Map(deliveries.map(({ subscriptionId }) => [subscriptionId, 0]));
  for (const { subscriptionId, status } of inserted) {
    const isPending = status === 'PENDING' ? 1 : 0;
    counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + isPending);
  }
  const removed = await raiseLanes(counts);
  if (removed.length) await removeDeliveries(removed);
  await wake([...counts.keys()]);
}

/** The documents of events, and the bytes that their workspaces have recorded with them. */
async function eventsOf(
  placed: readonly PlacedEvent[],
  deliveriesOf: (event: PlacedEvent) => number,
): Promise<{ events: OutgoingEventDocument[]; recorded: RecordedBytes }> {
  const counted = placed.map((event) => ({
    ...event,
    body: bodyOf(event),
    deliveries: deliveriesOf(event),
  }));
  const { recorded, ofEvents } = await countRecorded(counted);
  const events = counted.map(({ id, at, workspaceId, resourceKey, position, body }, n) => ({
    ...{ _id: id, workspaceId, resourceKey, position, body },
    recorded: ofEvents[n] ?? 0,
    createdAt: new Date(at),
  }));
  return { events, recorded };
}

const bodyOf = ({ type, at: timestamp, workspaceId, data }: PlacedEvent): string =>
  JSON.stringify({ type, timestamp, workspaceId, data });

async function deliveryOf(
  event: PlacedEvent,
  { _id: subscriptionId }: EnabledSubscription,
  room: Map<number, number>,
): Promise<EventDeliveryDocument> {
  const left = room.get(subscriptionId) ?? 0;
  room.set(subscriptionId, left - 1);
  const now = databaseClock.now();
  const { id: eventId, workspaceId, type, resource, resourceKey, position } = event;
  return {
    _id: await nextId('event_deliveries'),
    subscriptionId,
    workspaceId,
    eventId,
    type,
    resource,
    resourceKey,
    position,
    attempts: 0,
    failures: 0,
    ...(left > 0
      ? { status: 'PENDING', nextAttemptAt: firstAttemptAt(position / 1_000, now) }
      : { status: 'FAILED' }),
    giveUpAt: new Date(now + RETRY_MS),
    response: null,
    createdAt: new Date(event.at),
  };
}

type Collection = Parameters<typeof insertAll>[0];

/** Inserts documents, and answers those that were not there. */
async function insertOnce<T extends { _id: number | string }>(
  collection: unknown,
  documents: readonly T[],
): Promise<T[]> {
  if (!documents.length) return [];
  const outcomes = await insertAll(collection as Collection, documents);
  return documents.filter((_, at) => {
    const outcome = outcomes[at];
    if (outcome?.status !== 'rejected') return true;
    if (isDuplicateKey(outcome.reason)) return false;
    throw outcome.reason;
  });
}

import { Problem, Unavailable } from '../../../contract/problem.ts';
import { EventDeliveryModel } from '../../../models/event-delivery.model.ts';
import { REMOVED_FIELDS, type RemovedDelivery, removeWithEvents } from './remove-with-events.ts';

/** Deliveries of one removal. Between two removals other work of the database goes on. */
const BATCH = 1_000;
/** Milliseconds after which a call begins no further removal, well below the timeout of a call. */
const MAX_CALL_MS = 4_000;

/**
 * Removes the deliveries of subscriptions that were removed, with the events that no other subscription has. Throws 503 when
 * the time of the call is over: the repetition of the outbox goes on with what is left.
 */
export async function removeDeliveries(
  subscriptionIds: readonly number[],
  maxMs = MAX_CALL_MS,
): Promise<null> {
  const until = performance.now() + maxMs;
  for (const subscriptionId of new Set(subscriptionIds)) {
    while (await removeBatch(subscriptionId)) {
      if (performance.now() > until) throw goesOn();
    }
  }
  return null;
}

/** True where further deliveries may be left. */
async function removeBatch(subscriptionId: number): Promise<boolean> {
  const rows = await EventDeliveryModel.find({ subscriptionId }, REMOVED_FIELDS)
    .limit(BATCH)
    .lean<RemovedDelivery[]>();
  if (rows.length) await removeWithEvents(rows);
  return rows.length === BATCH;
}

const goesOn = () => new Problem(Unavailable, 'The removal of deliveries goes on.');

import { NotFound, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../models/event-delivery.model.ts';
import type { Params } from '../../contracts.ts';
import type { EventDelivery } from '../contract/resources.ts';
import { subscriptionDisabled } from '../events.problems.ts';
import { raiseLanes } from '../recording/lanes.ts';
import { type StoredSubscription, subscriptions } from '../subscriptions/subscriptions.store.ts';
import { firstAttemptAt, RETRY_MS } from './delivery-times.ts';
import { eventIdRange } from './event-id-range.ts';
import { showDelivery } from './show-delivery.ts';

/** Deliveries that one replay queues at most; a further replay takes those that are left. */
const MAX_REPLAYED = 10_000;
/** Deliveries of one write. Between two writes other work of the database goes on. */
const WRITE_SIZE = 1_000;

type Wake = (subscriptionIds: readonly number[]) => Promise<void>;

/** Makes deliveries that have ended PENDING again, oldest first. Answers how many. */
export async function replayDeliveries(
  subscription: StoredSubscription,
  { status, from, to }: Params<'events.replayDeliveries'>,
  change: ChangeContext,
  wake: Wake,
): Promise<{ queued: number }> {
  const range = eventIdRange({ from, to }, 'body');
  await recordReplay(subscription, {}, change);
  let queued = 0;
  let after = range.$gte;
  while (queued < MAX_REPLAYED) {
    const eventId = { $gt: after, $lt: range.$lt };
    const rows = await EventDeliveryModel.find(
      { subscriptionId: subscription._id, eventId, status },
      { eventId: 1 },
    )
      .sort({ eventId: 1 })
      .limit(WRITE_SIZE)
      .lean<Pick<EventDeliveryDocument, '_id' | 'eventId'>[]>();
    const last = rows.at(-1);
    if (!last) break;
    queued += await makePending(rows.map(({ _id }) => _id));
    after = last.eventId;
  }
  await wakeLane(subscription._id, queued, wake);
  return { queued };
}

/** Makes one delivery PENDING again. A delivery that is PENDING already stays as it is. */
export async function replayDelivery(
  { _id, subscriptionId, workspaceId }: Readonly<EventDeliveryDocument>,
  change: ChangeContext,
  wake: Wake,
): Promise<EventDelivery> {
  const subscription = await subscriptions.find(subscriptionId);
  if (!subscription) throw noDelivery(_id);
  await recordReplay(subscription, { resource: { id: _id, workspaceId } }, change);
  await wakeLane(subscriptionId, await makePending([_id]), wake);
  const replayed = await EventDeliveryModel.findById(_id).lean<EventDeliveryDocument>();
  if (!replayed) throw noDelivery(_id);
  return showDelivery(replayed);
}

/** Writes the audit entry before the deliveries, so that none is sent without it. Throws 409 while the subscription is off. */
async function recordReplay(
  subscription: StoredSubscription,
  { resource = { id: subscription._id, workspaceId: subscription.workspaceId } },
  change: ChangeContext,
): Promise<void> {
  const act = { condition: { enabled: true }, resource };
  const isRecorded = await subscriptions.record(subscription, act, change);
  if (!isRecorded) throw subscriptionDisabled(subscription._id);
}

const noDelivery = (id: number) => new Problem(NotFound, `There is no delivery ${id}.`);

/** Lets a process look at the lane, also when an earlier request made the deliveries PENDING and ended before this step. */
async function wakeLane(subscriptionId: number, queued: number, wake: Wake): Promise<void> {
  await raiseLanes(new Map([[subscriptionId, queued]]));
  await wake([subscriptionId]);
}

async function makePending(ids: readonly number[]): Promise<number> {
  const now = databaseClock.date();
  const { modifiedCount } = await EventDeliveryModel.updateMany(
    { _id: { $in: [...ids] }, status: { $ne: 'PENDING' } },
    {
      $set: {
        status: 'PENDING',
        failures: 0,
        nextAttemptAt: firstAttemptAt(now.getTime(), now.getTime()),
        giveUpAt: new Date(now.getTime() + RETRY_MS),
      },
    },
  );
  return modifiedCount;
}

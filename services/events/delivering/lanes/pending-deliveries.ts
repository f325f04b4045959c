import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../../models/event-delivery.model.ts';

/** Deliveries of one write that makes them FAILED. */
const FAIL_SIZE = 1_000;

export type PendingDelivery = Pick<
  EventDeliveryDocument,
  | '_id'
  | 'subscriptionId'
  | 'eventId'
  | 'type'
  | 'resourceKey'
  | 'position'
  | 'attempts'
  | 'failures'
  | 'giveUpAt'
  | 'createdAt'
>;

const PROJECTION = {
  subscriptionId: 1,
  eventId: 1,
  type: 1,
  resourceKey: 1,
  position: 1,
  attempts: 1,
  failures: 1,
  giveUpAt: 1,
  createdAt: 1,
} as const;

const collection = () => EventDeliveryModel.collection;

/** The deliveries that are due, and whether there may be more. */
export interface DuePage {
  due: PendingDelivery[];
  hasMore: boolean;
}

interface Search {
  now: number;
  /** The number of deliveries that are asked for; some more may be found. */
  limit: number;
  except: readonly number[];
}

/**
 * Finds the deliveries of a subscription that are due. Scans go from the latest to the earliest: a later event of a resource
 * is recorded after the earlier ones and is due no earlier, so a scan that has met the later one meets the earlier ones, also
 * those that were recorded meanwhile. Where a first scan does not hold all, another one begins at the place of the last that
 * is asked for.
 */
export async function findDue(
  subscriptionId: number,
  { now, limit, except }: Search,
): Promise<DuePage> {
  const of = { subscriptionId, _id: { $nin: [...except] } };
  const due = { ...of, nextAttemptAt: { $lte: new Date(now) } };
  const latest = await scan(due, limit + 1);
  if (latest.length <= limit) return { due: latest.reverse(), hasMore: false };
  const last = await findPlaceAt(due, limit);
  return { due: last ? await findUntil(of, last, limit) : [], hasMore: true };
}

/** The deliveries up to a place that had `limit` of them; none where too many were recorded meanwhile. */
async function findUntil(
  of: object,
  { nextAttemptAt, position }: Place,
  limit: number,
): Promise<PendingDelivery[]> {
  const at = await scan({ ...of, nextAttemptAt, position }, limit); // of different resources: some of them do
  const most = 2 * limit;
  const before = await scan({ ...of, nextAttemptAt, position: { $lt: position } }, most);
  const earlier = await scan({ ...of, nextAttemptAt: { $lt: nextAttemptAt } }, most);
  const areAll = before.length < most && earlier.length < most;
  return areAll ? [...at, ...before, ...earlier].reverse() : [];
}

/** Finds deliveries from the latest to the earliest. */
const scan = (filter: object, limit: number): Promise<PendingDelivery[]> =>
  collection()
    .find<PendingDelivery>(filter as never, { projection: PROJECTION })
    .sort({ nextAttemptAt: -1, position: -1 })
    .limit(limit)
    .toArray();

type Place = Pick<EventDeliveryDocument, 'position'> & { nextAttemptAt: Date };

/** The place of the last of the `limit` earliest deliveries. */
const findPlaceAt = (filter: object, limit: number): Promise<Place | null> =>
  collection()
    .find<Place>(filter as never, {
      projection: { nextAttemptAt: 1, position: 1 },
    })
    .sort({ nextAttemptAt: 1, position: 1 })
    .skip(limit - 1)
    .limit(1)
    .next();

/** A delivery that waits after a failed attempt. */
export interface FailedDelivery {
  _id: number;
  backoffKey: string;
  nextAttemptAt: Date;
}

/** The deliveries of these resources that wait after a failed attempt, or whose next attempt is due. */
export const findFailed = (
  subscriptionId: number,
  resourceKeys: readonly string[],
): Promise<FailedDelivery[]> =>
  collection()
    .find<FailedDelivery>(
      { subscriptionId, backoffKey: { $in: [...new Set(resourceKeys)] } } as never,
      { projection: { backoffKey: 1, nextAttemptAt: 1 } },
    )
    .toArray();

/** Lets deliveries wait for an earlier one of their resource. */
export async function postpone(
  deliveries: readonly Pick<PendingDelivery, '_id'>[],
  until: Date,
): Promise<void> {
  if (!deliveries.length) return;
  const ids = deliveries.map(({ _id }) => _id);
  await collection().updateMany({ _id: { $in: ids }, status: 'PENDING' } as never, {
    $set: { nextAttemptAt: until },
  });
}

/** The time of the next attempt of a subscription; null when it has no pending delivery. */
export async function findNextAttempt(subscriptionId: number): Promise<Date | null> {
  const [next] = await collection()
    .find<{ nextAttemptAt: Date }>({ subscriptionId, nextAttemptAt: { $exists: true } } as never, {
      projection: { nextAttemptAt: 1 },
    })
    .sort({ nextAttemptAt: 1 })
    .limit(1)
    .toArray();
  return next?.nextAttemptAt ?? null;
}

/** The time of the oldest event that waits after a failed attempt, of all subscriptions; null without such an event. */
export async function findOldestFailed(): Promise<Date | null> {
  const [oldest] = await collection()
    .find<{ createdAt: Date }>({ backoffKey: { $exists: true } } as never, {
      projection: { createdAt: 1 },
    })
    .sort({ createdAt: 1, _id: 1 })
    .limit(1)
    .toArray();
  return oldest?.createdAt ?? null;
}

/** Makes all pending deliveries of a subscription FAILED, because the subscription is switched off. */
export async function failPending(subscriptionId: number): Promise<number> {
  let failed = 0;
  for (;;) {
    const rows = await collection()
      .find({ subscriptionId, nextAttemptAt: { $exists: true } } as never, {
        projection: { _id: 1 },
      })
      .limit(FAIL_SIZE)
      .toArray();
    if (!rows.length) return failed;
    const { modifiedCount } = await collection().updateMany(
      { _id: { $in: rows.map(({ _id }) => _id) }, status: 'PENDING' } as never,
      { $set: { status: 'FAILED' }, $unset: { nextAttemptAt: '', backoffKey: '' } },
    );
    failed += modifiedCount;
  }
}

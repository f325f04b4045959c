import {
  type EventDeliveryDocument,
  EventDeliveryModel,
} from '../../../../models/event-delivery.model.ts';

/** Milliseconds after which the deliveries of a scan cannot be joined by an earlier one that was recorded meanwhile. */
const SETTLED_MS = 2_000;
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

/**
 * Finds the deliveries of a subscription that are due. The scan goes from the latest to the earliest: a later event of a
 * resource is recorded after the earlier ones, so a scan that has met the later one meets the earlier ones. Where a page
 * does not hold all, the earliest are read, without those that are still being recorded.
 */
export async function findDue(
  subscriptionId: number,
  { now, limit, except }: { now: number; limit: number; except: readonly number[] },
): Promise<DuePage> {
  const filterOf = (until: number) => ({
    subscriptionId,
    nextAttemptAt: { $lte: new Date(until) },
    _id: { $nin: [...except] },
  });
  const find = (until: number, direction: 1 | -1) =>
    collection()
      .find<PendingDelivery>(filterOf(until) as never, { projection: PROJECTION })
      .sort({ nextAttemptAt: direction, position: direction })
      .limit(limit + 1)
      .toArray();
  const latest = await find(now, -1);
  if (latest.length <= limit) return { due: latest.reverse(), hasMore: false };
  const due = await find(now - SETTLED_MS, 1);
  return { due: due.slice(0, limit), hasMore: true };
}

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
export async function postpone(ids: readonly number[], until: Date): Promise<void> {
  if (!ids.length) return;
  await collection().updateMany({ _id: { $in: [...ids] }, status: 'PENDING' } as never, {
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

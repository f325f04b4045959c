import { batchFind } from '../../../../mixins/database/batch-loader.ts';
import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../../models/event-subscription.model.ts';

/** Milliseconds of a lease, by the clock of the database. Beyond them any process may end the lease. */
const LEASE_MS = 10_000;
/** Expired leases that one look ends. Further ones are ended by the next look. */
const MAX_EXPIRED = 500;

/** A subscription with its lane. */
export type LaneDocument = Pick<
  EventSubscriptionDocument,
  '_id' | 'workspaceId' | 'url' | 'enabled' | 'sealedSecret' | 'lane' | 'failingSince' | 'revision'
>;

const PROJECTION = {
  workspaceId: 1,
  url: 1,
  enabled: 1,
  sealedSecret: 1,
  lane: 1,
  failingSince: 1,
  revision: 1,
} as const;

const collection = () => EventSubscriptionModel.collection;
const leaseFrom = (at: number) => ({ 'lane.leaseUntil': new Date(at + LEASE_MS) });
const RELEASE = { $unset: { 'lane.holder': '', 'lane.leaseUntil': '' } };

/** Makes the read of lanes by id; reads of one turn go together. */
export const laneReader = () =>
  batchFind<LaneDocument>(EventSubscriptionModel, { projection: PROJECTION });

/** Takes the leases of lanes that no process holds. Answers the lanes that are the holder's then. */
export async function claimLanes(
  ids: readonly number[],
  holder: string,
  at: number,
): Promise<LaneDocument[]> {
  if (!ids.length) return [];
  await collection().updateMany(
    { _id: { $in: [...ids] }, removedAt: null, 'lane.holder': { $exists: false } } as never,
    { $set: { 'lane.holder': holder, ...leaseFrom(at) } },
  );
  return collection()
    .find<LaneDocument>({ _id: { $in: [...ids] }, 'lane.holder': holder } as never, {
      projection: PROJECTION,
    })
    .toArray();
}

/**
 * Prolongs leases of a holder, expired ones included: a lane that still names the holder was nobody else's meanwhile.
 * Answers the lanes that are still the holder's.
 */
export async function renewLanes(
  ids: readonly number[],
  holder: string,
  at: number,
): Promise<Set<number>> {
  const own = { _id: { $in: [...ids] }, 'lane.holder': holder };
  await collection().updateMany(own as never, { $set: leaseFrom(at) });
  const rows = await collection()
    .find(own as never, { projection: { _id: 1 } })
    .toArray();
  return new Set(rows.map(({ _id }) => Number(_id)));
}

/**
 * Ends leases that have expired, also of lanes that are not due, so that lanes without a living holder are free. Spares those
 * that the process has in memory, which it renews itself.
 */
export async function endExpiredLeases(
  now: Date,
  isInMemory: (id: number, holder: string | undefined) => boolean,
): Promise<void> {
  const expired = { 'lane.leaseUntil': { $lte: now } };
  const rows = await collection()
    .find<Pick<LaneDocument, '_id' | 'lane'>>(expired as never, {
      projection: { 'lane.holder': 1 },
    })
    .sort({ 'lane.leaseUntil': 1 })
    .limit(MAX_EXPIRED)
    .toArray();
  const ids = rows.filter(({ _id, lane }) => !isInMemory(_id, lane.holder)).map(({ _id }) => _id);
  if (ids.length)
    await collection().updateMany({ _id: { $in: ids }, ...expired } as never, RELEASE);
}

/** Ends leases of a holder, so that another process may take the lanes at once. */
export async function releaseLanes(ids: readonly number[], holder: string): Promise<void> {
  if (!ids.length) return;
  await collection().updateMany(
    { _id: { $in: [...ids] }, 'lane.holder': holder } as never,
    RELEASE,
  );
}

/**
 * Stores when a lane without due deliveries is due again; null without a pending delivery. False, without a write, when
 * deliveries were added since the holder has seen `raised`.
 */
export async function restLane(
  _id: number,
  holder: string,
  { raised, dueAt }: { raised: number; dueAt: Date | null },
): Promise<boolean> {
  const update = dueAt
    ? { $set: { 'lane.dueAt': dueAt } }
    : { $set: { 'lane.pending': 0 }, $unset: { 'lane.dueAt': '' } };
  const { matchedCount } = await collection().updateOne(
    { _id, 'lane.holder': holder, 'lane.raised': raised } as never,
    update as never,
  );
  return matchedCount === 1;
}

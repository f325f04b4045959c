import { batchFind } from '../../../mixins/database/batch-loader.ts';
import {
  type EventSubscriptionDocument,
  EventSubscriptionModel,
} from '../../../models/event-subscription.model.ts';

/** Milliseconds of a lease, by the clock of the database. Beyond them another process may take the lane. */
const LEASE_MS = 10_000;
/** Lanes that one look finds. Further lanes wait for the next look. */
const MAX_FOUND = 500;

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
const datesOf = (now: number) => ({ now: new Date(now), until: new Date(now + LEASE_MS) });
/** Matches lanes that no process holds. */
const isFree = (now: Date) => [
  { 'lane.leaseUntil': { $exists: false } },
  { 'lane.leaseUntil': { $lte: now } },
];

/** Makes the read of lanes by id; reads of one turn go together. */
export const laneReader = () =>
  batchFind<LaneDocument>(EventSubscriptionModel, { projection: PROJECTION });

/** The lanes that are due, by the time since when: those of the holder, and those that no process holds. */
export async function findDueLanes(
  holder: string,
  at: number,
): Promise<{ held: number[]; free: number[] }> {
  const { now } = datesOf(at);
  const rows = await collection()
    .find<Pick<LaneDocument, '_id' | 'lane'>>(
      {
        'lane.dueAt': { $lte: now },
        $or: [{ 'lane.holder': holder }, ...isFree(now)],
      } as never,
      { projection: { 'lane.holder': 1, 'lane.leaseUntil': 1 } },
    )
    .sort({ 'lane.dueAt': 1 })
    .limit(MAX_FOUND)
    .toArray();
  const isHeld = ({ lane }: Pick<LaneDocument, 'lane'>) =>
    lane.holder === holder && lane.leaseUntil !== undefined && lane.leaseUntil > now;
  return {
    held: rows.filter(isHeld).map(({ _id }) => _id),
    free: rows.filter((row) => !isHeld(row)).map(({ _id }) => _id),
  };
}

/** Takes the leases of lanes that no process holds. Answers the lanes that are the holder's then. */
export async function claimLanes(
  ids: readonly number[],
  holder: string,
  at: number,
): Promise<LaneDocument[]> {
  if (!ids.length) return [];
  const { now, until } = datesOf(at);
  await collection().updateMany(
    { _id: { $in: [...ids] }, removedAt: null, $or: isFree(now) } as never,
    { $set: { 'lane.holder': holder, 'lane.leaseUntil': until } },
  );
  return collection()
    .find<LaneDocument>(
      { _id: { $in: [...ids] }, 'lane.holder': holder, 'lane.leaseUntil': { $gt: now } } as never,
      { projection: PROJECTION },
    )
    .toArray();
}

/** Prolongs the leases of a holder. Answers the lanes that are still the holder's. */
export async function renewLanes(holder: string, at: number): Promise<Set<number>> {
  const { now, until } = datesOf(at);
  await collection().updateMany(
    { 'lane.holder': holder, 'lane.leaseUntil': { $gt: now } } as never,
    { $set: { 'lane.leaseUntil': until } },
  );
  const rows = await collection()
    .find({ 'lane.holder': holder, 'lane.leaseUntil': { $gt: now } } as never, {
      projection: { _id: 1 },
    })
    .toArray();
  return new Set(rows.map(({ _id }) => Number(_id)));
}

/** Ends leases of a holder, so that another process may take the lanes at once. */
export async function releaseLanes(ids: readonly number[], holder: string): Promise<void> {
  if (!ids.length) return;
  await collection().updateMany({ _id: { $in: [...ids] }, 'lane.holder': holder } as never, {
    $unset: { 'lane.holder': '', 'lane.leaseUntil': '' },
  });
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

/** What a holder has seen of a lane since the last write. */
export interface LaneNews {
  ended: number;
  /** The new time of the first failure since the last success; null for none, undefined without a change. */
  failingSince: Date | null | undefined;
}

/** Stores what a holder has seen of its lanes. */
export async function writeLaneNews(news: ReadonlyMap<number, LaneNews>): Promise<void> {
  if (!news.size) return;
  const writes = [...news].map(([_id, { ended, failingSince }]) => ({
    updateOne: {
      filter: { _id, removedAt: null },
      update: {
        $inc: { 'lane.pending': -ended },
        ...(failingSince ? { $set: { failingSince } } : {}),
        ...(failingSince === null ? { $unset: { failingSince: '' } } : {}),
      },
    },
  }));
  await collection().bulkWrite(writes as never[], { ordered: false });
}

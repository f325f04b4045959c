import { EventSubscriptionModel } from '../../../../models/event-subscription.model.ts';

/** A lane that no process holds and whose deliveries may be due. */
export interface FreeLane {
  _id: number;
  workspaceId: number;
  dueAt: Date;
}

/** The place of a lane in the order of due lanes. */
export type LanePlace = Pick<FreeLane, '_id' | 'dueAt'>;

/** No process holds the lane. */
const FREE = { 'lane.holder': { $exists: false } };
const ORDER = { 'lane.dueAt': 1, _id: 1 } as const;

const collection = () => EventSubscriptionModel.collection;

async function find(filter: object, limit: number): Promise<FreeLane[]> {
  const rows = await collection()
    .find<{ _id: number; workspaceId: number; lane: { dueAt: Date } }>(filter as never, {
      projection: { workspaceId: 1, 'lane.dueAt': 1 },
    })
    .sort(ORDER)
    .limit(limit)
    .toArray();
  return rows.map(({ lane: { dueAt }, ...row }) => ({ ...row, dueAt }));
}

/** Finds free lanes that are due, from those that wait longest on, behind a place. An index has the order. */
export function findFreeLanes(
  now: Date,
  { after, limit }: { after: LanePlace | null; limit: number },
): Promise<FreeLane[]> {
  const due = { ...FREE, 'lane.dueAt': { $lte: now } };
  if (!after) return find(due, limit);
  const { dueAt, _id } = after;
  const behind = [{ 'lane.dueAt': { $gt: dueAt } }, { 'lane.dueAt': dueAt, _id: { $gt: _id } }];
  return find({ ...due, 'lane.dueAt': { $gte: dueAt, $lte: now }, $or: behind }, limit);
}

/** Finds those of some lanes that are free and have something to look for. */
export const findFreeAmong = (ids: readonly number[]): Promise<FreeLane[]> =>
  find({ _id: { $in: [...ids] }, ...FREE, 'lane.dueAt': { $exists: true } }, ids.length);

/** Finds those of some lanes that are due, whoever holds them. */
export async function findDueAmong(ids: readonly number[], now: Date): Promise<number[]> {
  if (!ids.length) return [];
  const rows = await collection()
    .find({ _id: { $in: [...ids] }, 'lane.dueAt': { $lte: now } } as never, {
      projection: { _id: 1 },
    })
    .toArray();
  return rows.map(({ _id }) => Number(_id));
}

/** The time since when a free lane has been due, of all that are the longest; null without such a lane. */
export async function findLongestFree(now: Date): Promise<Date | null> {
  const [longest] = await findFreeLanes(now, { after: null, limit: 1 });
  return longest?.dueAt ?? null;
}

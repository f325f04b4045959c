import { type ScheduleDocument, ScheduleModel } from '../../../../models/schedule.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';

/** A schedule that a scheduler should look at. It may have been started by then. */
export type DueSchedule = Pick<ScheduleDocument, '_id' | 'workspaceId' | 'shareOwner'>;

const FIELDS = { _id: 1, workspaceId: 1, shareOwner: 1 } as const;

/** The time after `now` at which the next schedule is due; null without any. Reads an index alone. */
export async function findNextDueAt(now: Date): Promise<Date | null> {
  const filter = { dueAt: { $gt: now } } as never;
  const next = await ScheduleModel.collection.findOne<{ dueAt: Date }>(filter, {
    projection: { _id: 0, dueAt: 1 },
    sort: { dueAt: 1 },
  });
  return next?.dueAt ?? null;
}

/** Finds schedules that are due at a time, the longest due first, without those of some owners. Reads an index alone. */
export const findDue = (
  now: Date,
  without: readonly ShareOwner[],
  limit: number,
): Promise<DueSchedule[]> =>
  ScheduleModel.collection
    .find<DueSchedule>(
      {
        dueAt: { $lte: now },
        ...(without.length ? { shareOwner: { $nin: [...without] } } : {}),
      } as never,
      { projection: FIELDS },
    )
    .sort({ dueAt: 1 })
    .limit(limit)
    .toArray();

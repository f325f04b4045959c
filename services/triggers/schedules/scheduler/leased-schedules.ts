import { randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { type ScheduleDocument, ScheduleModel } from '../../../../models/schedule.model.ts';

/** Milliseconds of a lease. Beyond them another scheduler takes the occurrence over. */
export const LEASE_MS = 15_000;
/** Schedules of one command. */
const MAX_BATCH = 100;

/** A schedule whose next occurrence this process may start. */
export type LeasedSchedule = ScheduleDocument &
  Required<Pick<ScheduleDocument, 'nextOccurrence' | 'dueAt' | 'lease'>>;

/** The fields that a scheduler writes, and those that it takes away. */
export interface ScheduleWrite {
  set: Partial<
    Pick<
      ScheduleDocument,
      'nextOccurrence' | 'dueAt' | 'shareOwner' | 'attempts' | 'lastOccurrence'
    >
  >;
  unset?: readonly ('nextOccurrence' | 'dueAt' | 'lease' | 'attempts')[];
}

/**
 * The leases of this process on due schedules, and its writes under them. Leases of one turn of the event loop go
 * together, and so do writes.
 *
 * A lease is a random text in the schedule. A write counts while the schedule has that text: a change of the schedule
 * takes it away, and the scheduler that takes a schedule over replaces it.
 */
export class LeasedSchedules {
  readonly #leases = new DataLoader<number, LeasedSchedule | null>((ids) => leaseAll(ids), {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: setImmediate,
  });
  readonly #writes = new DataLoader<[LeasedSchedule, ScheduleWrite], null>(writeAll, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: setImmediate,
  });

  /** Leases a schedule; null for one that is not due any more, or that another scheduler has leased. */
  lease(id: number): Promise<LeasedSchedule | null> {
    return this.#leases.load(id);
  }

  /** Writes a schedule under its lease. Nothing is written when the lease is lost. */
  async write(schedule: LeasedSchedule, write: ScheduleWrite): Promise<void> {
    await this.#writes.load([schedule, write]);
  }
}

async function leaseAll(ids: readonly number[]): Promise<(LeasedSchedule | null)[]> {
  const lease = randomUUID();
  const now = databaseClock.now();
  const some = { _id: { $in: [...ids] } };
  await ScheduleModel.updateMany(
    { ...some, dueAt: { $lte: new Date(now) } },
    { $set: { lease, dueAt: new Date(now + LEASE_MS) } },
  );
  const leased = await ScheduleModel.find({ ...some, lease }).lean<LeasedSchedule[]>();
  const byId = new Map(leased.map((schedule) => [schedule._id, schedule]));
  return ids.map((id) => byId.get(id) ?? null);
}

async function writeAll(
  writes: readonly (readonly [LeasedSchedule, ScheduleWrite])[],
): Promise<null[]> {
  const updates = writes.map(([{ _id, lease }, { set, unset = [] }]) => ({
    updateOne: {
      filter: { _id, lease },
      update: { $set: set, $unset: Object.fromEntries(unset.map((name) => [name, 1 as const])) },
    },
  }));
  await ScheduleModel.bulkWrite(updates, { ordered: false });
  return writes.map(() => null);
}

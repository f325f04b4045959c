import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type ScheduleDocument, ScheduleModel } from '../../../models/schedule.model.ts';
import type { Params } from '../../contracts.ts';
import type { DueSchedules, ScheduleState } from '../contract/operations.ts';

/** Milliseconds after its time at which an occurrence that is not over counts as late. */
const LATE_MS = 5_000;
/** Milliseconds by which a lease or a backoff may move the next look at a late schedule, rounded up. */
const LONGEST_POSTPONEMENT_MS = 60_000;

const FIELDS = {
  workspaceId: 1,
  flowId: 1,
  cron: 1,
  timeZone: 1,
  enabled: 1,
  nextOccurrence: 1,
  attempts: 1,
  lastOccurrence: 1,
} as const;
type ReadSchedule = Pick<ScheduleDocument, '_id' | keyof typeof FIELDS>;

/** Lists schedules of all workspaces, or of one workspace or flow. */
export async function listScheduleStates({
  workspaceId,
  flowId,
  late,
  limit,
}: Params<'triggers.listScheduleStates'>): Promise<{ schedules: ScheduleState[] }> {
  const found = await ScheduleModel.find(
    {
      ...(workspaceId === undefined ? {} : { workspaceId }),
      ...(flowId === undefined ? {} : { flowId }),
      ...(late ? isLate(databaseClock.now()) : {}),
      removedAt: null,
    },
    FIELDS,
  )
    .sort(late ? { dueAt: 1 } : { _id: -1 })
    .limit(limit)
    .lean<ReadSchedule[]>();
  return { schedules: found.map(stateOf) };
}

/** The bound of `dueAt` lets the query read the index of due schedules. */
const isLate = (now: number) => ({
  dueAt: { $lte: new Date(now + LONGEST_POSTPONEMENT_MS) },
  nextOccurrence: { $lt: new Date(now - LATE_MS) },
});

const stateOf = (schedule: ReadSchedule): ScheduleState => {
  const { _id: id, workspaceId, flowId, cron, timeZone, enabled } = schedule;
  const { nextOccurrence, attempts = 0, lastOccurrence: last } = schedule;
  return {
    id,
    workspaceId,
    flowId,
    cron,
    timeZone,
    enabled,
    nextAt: nextOccurrence?.toISOString() ?? null,
    attempts,
    last: last
      ? {
          at: last.at.toISOString(),
          outcome: last.outcome,
          runId: last.runId ?? null,
          code: last.code ?? null,
        }
      : null,
  };
};

/** Finds the time since which a schedule is due that no scheduler has leased, in an index alone. */
export async function findDueSince(): Promise<DueSchedules> {
  const [first] = await ScheduleModel.find({ dueAt: { $lte: databaseClock.date() } }, { dueAt: 1 })
    .sort({ dueAt: 1 })
    .limit(1)
    .lean<Pick<ScheduleDocument, 'dueAt'>[]>();
  return { waitingSince: first?.dueAt?.toISOString() ?? null };
}

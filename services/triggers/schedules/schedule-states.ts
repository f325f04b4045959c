import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type ScheduleDocument, ScheduleModel } from '../../../models/schedule.model.ts';
import type { Params } from '../../contracts.ts';
import type { DueSchedules, ScheduleState } from '../contract/operations.ts';

/** Milliseconds after its time at which an occurrence that is not over counts as late. */
const LATE_MS = 5_000;

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
      ...(late ? { nextOccurrence: { $lt: new Date(databaseClock.now() - LATE_MS) } } : {}),
      removedAt: null,
    },
    FIELDS,
  )
    .sort(late ? { nextOccurrence: 1 } : { _id: -1 })
    .limit(limit)
    .lean<ReadSchedule[]>();
  return { schedules: found.map(stateOf) };
}

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

/** Finds what waits for longest: by an index, the schedules that are due, and the occurrences that are overdue. */
export async function findDueSince(): Promise<DueSchedules> {
  const now = databaseClock.date();
  const [waitingSince, overdueSince] = await Promise.all([
    findEarliest('dueAt', now),
    findEarliest('nextOccurrence', now),
  ]);
  return { waitingSince, overdueSince };
}

async function findEarliest(name: 'dueAt' | 'nextOccurrence', now: Date): Promise<string | null> {
  const [first] = await ScheduleModel.find({ [name]: { $lte: now } }, { [name]: 1 })
    .sort({ [name]: 1 })
    .limit(1)
    .lean<Pick<ScheduleDocument, 'dueAt' | 'nextOccurrence'>[]>();
  return first?.[name]?.toISOString() ?? null;
}

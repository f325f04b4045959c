import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { UNKNOWN_OWNER } from '../../../../support/fair-shares/share.ts';
import type { ShareOwners } from '../../../share-owners/share-owners.ts';
import { occurrenceEnded, occurrencesDropped } from '../../triggers.diagnostics.ts';
import type { Timetable, Timetables } from '../timetable.ts';
import { chooseOccurrence, occurrenceAfter } from './choose-occurrence.ts';
import type { LeasedSchedule, LeasedSchedules, ScheduleWrite } from './leased-schedules.ts';
import type { RefusalLog } from './refusal-log.ts';
import { type StartEnd, type StartRun, startOccurrence } from './start-occurrence.ts';

/** What the work on a due schedule needs. */
export interface OccurrenceTools {
  leases: LeasedSchedules;
  timetables: Timetables;
  owners: ShareOwners;
  startRun: StartRun;
  /** Removes a schedule whose flow is gone. */
  removeOrphan: (id: number) => Promise<void>;
  log: RefusalLog;
}

/**
 * Carries out the due occurrence of a schedule: leases the schedule, starts the run, and moves the schedule on. A crash
 * at any point leaves a lease that ends, and the next attempt meets the run that this one has started. True when another
 * occurrence is due already.
 */
export async function carryOut(id: number, tools: OccurrenceTools): Promise<boolean> {
  const { leases, timetables, startRun } = tools;
  const schedule = await leases.lease(id);
  if (!schedule) return false;
  const timetable = timetables.of(schedule);
  const now = databaseClock.date();
  const { occurrence, dropped } = chooseOccurrence(schedule, timetable, now);
  if (dropped) occurrencesDropped.publish({ scheduleId: id });
  if (!occurrence || occurrence > now) {
    await leases.write(schedule, moveTo(occurrence));
    return false;
  }
  if (dropped) await leases.write(schedule, { set: { nextOccurrence: occurrence } });
  const end = await startOccurrence(schedule, occurrence, startRun);
  return finish(schedule, occurrence, end, timetable, tools);
}

async function finish(
  schedule: LeasedSchedule,
  occurrence: Date,
  end: StartEnd,
  timetable: Timetable,
  tools: OccurrenceTools,
): Promise<boolean> {
  switch (end.kind) {
    case 'lost':
      return false;
    case 'orphaned':
      await tools.removeOrphan(schedule._id);
      return false;
    case 'postponed':
      await tools.leases.write(schedule, postponement(schedule, end));
      return false;
    case 'over': {
      const now = databaseClock.date();
      publishEnd(schedule, occurrence, end, now, tools);
      const next = occurrenceAfter(schedule, occurrence, timetable, end.decidedAt ?? now);
      const { set, unset = [] } = moveTo(next);
      const shareOwner = await ownerOf(schedule, tools.owners);
      await tools.leases.write(schedule, {
        set: { ...set, lastOccurrence: end.last, shareOwner },
        unset,
      });
      return next !== null && next <= now;
    }
  }
}

/** The write that makes an occurrence the next one, and gives the lease back. */
const moveTo = (next: Date | null): ScheduleWrite =>
  next
    ? { set: { nextOccurrence: next, dueAt: next }, unset: ['lease', 'attempts'] }
    : { set: {}, unset: ['lease', 'attempts', 'nextOccurrence', 'dueAt'] };

const postponement = (
  { attempts = 0 }: LeasedSchedule,
  { backoffMs }: { backoffMs: number },
): ScheduleWrite => ({
  set: { attempts: attempts + 1, dueAt: new Date(databaseClock.now() + backoffMs) },
  unset: ['lease'],
});

function publishEnd(
  { _id: scheduleId, workspaceId, flowId }: LeasedSchedule,
  occurrence: Date,
  { last: { outcome, code }, decidedAt }: Extract<StartEnd, { kind: 'over' }>,
  now: Date,
  { log }: OccurrenceTools,
): void {
  const lateMs = (decidedAt ?? now).getTime() - occurrence.getTime();
  occurrenceEnded.publish({ outcome, lateMs, ...(code === undefined ? {} : { code }) });
  if (code === undefined) return;
  log.warn(code, { scheduleId, workspaceId, flowId }, 'The start of a scheduled run was refused');
}

/** The present owner of the workspace; the stored one where the lookup fails. */
async function ownerOf(
  { workspaceId, shareOwner }: LeasedSchedule,
  owners: ShareOwners,
): Promise<string> {
  const { owner } = await owners.ofWorkspace(workspaceId);
  return owner === UNKNOWN_OWNER ? shareOwner : owner;
}

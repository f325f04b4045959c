import { databaseClock } from '../../../mixins/database/database-clock.ts';
import type { Schedule } from '../contract/resources.ts';
import type { StoredSchedule } from './schedules.store.ts';
import type { Timetables } from './timetable.ts';

/** Occurrences that an answer shows. */
const SHOWN_TIMES = 5;

export function showSchedule(schedule: StoredSchedule, timetables: Timetables): Schedule {
  const { _id: id, flowId, cron, timeZone, configuration, misfire, overlap, enabled } = schedule;
  const next = enabled ? timetables.of(schedule).nextTimes(databaseClock.date(), SHOWN_TIMES) : [];
  return {
    id,
    flowId,
    cron,
    timeZone,
    input: JSON.parse(schedule.input),
    configuration,
    misfire,
    overlap,
    enabled,
    nextAt: next.map((time) => time.toISOString()),
    createdBy: schedule.createdBy,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}

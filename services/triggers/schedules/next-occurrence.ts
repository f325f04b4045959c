import { databaseClock } from '../../../mixins/database/database-clock.ts';
import type { ScheduleDocument } from '../../../models/schedule.model.ts';
import type { Timetables } from './timetable.ts';

/** The fields of a schedule that say when it is looked at next. Both are absent without a next occurrence. */
export type NextOccurrence = Pick<ScheduleDocument, 'nextOccurrence' | 'dueAt'>;

type Timed = Pick<ScheduleDocument, 'cron' | 'timeZone' | 'enabled'>;

/** The first occurrence from now on, by the clock of the database; none while the schedule is disabled. */
export function nextOccurrenceOf(schedule: Timed, timetables: Timetables): NextOccurrence {
  const next = schedule.enabled ? timetables.of(schedule).next(databaseClock.date()) : null;
  return next ? { nextOccurrence: next, dueAt: next } : {};
}

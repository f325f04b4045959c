import type { ScheduleDocument } from '../../../../models/schedule.model.ts';
import type { Timetable } from '../timetable.ts';

/** Milliseconds after which an occurrence that has not begun is missed. */
const MISSED_AFTER_MS = 60_000;
/** Missed occurrences that `RUN_ALL` makes up, the latest ones. Earlier ones are dropped. */
const MOST_MADE_UP = 100;

/** The part of a schedule that decides on its occurrences. */
export type DueSchedule = Pick<ScheduleDocument, 'misfire' | 'attempts'> & { nextOccurrence: Date };

/** The occurrence to start; `dropped` tells that missed ones come before it. Null where none is due any more. */
export interface Choice {
  occurrence: Date | null;
  dropped: boolean;
}

/**
 * Chooses the occurrence that a schedule starts at a time. The choice is the same after a crash, because it depends on
 * the stored occurrence alone: `RUN_ONCE` runs the first missed one, and `dropped` ones are written off before a start.
 */
export function chooseOccurrence(
  { misfire, attempts, nextOccurrence }: DueSchedule,
  timetable: Timetable,
  now: Date,
): Choice {
  const onTimeFrom = now.getTime() - MISSED_AFTER_MS;
  const isMissed = nextOccurrence.getTime() < onTimeFrom;
  if (attempts || !isMissed || misfire === 'RUN_ONCE') {
    return { occurrence: nextOccurrence, dropped: false };
  }
  const first =
    misfire === 'SKIP'
      ? timetable.next(new Date(onTimeFrom - 1))
      : timetable.earliestOfLatest(MOST_MADE_UP, nextOccurrence, new Date(onTimeFrom - 1));
  return { occurrence: first, dropped: first?.getTime() !== nextOccurrence.getTime() };
}

/** The first occurrence that is left after one is over. `RUN_ONCE` leaves no missed one. */
export function occurrenceAfter(
  { misfire }: Pick<ScheduleDocument, 'misfire'>,
  over: Date,
  timetable: Timetable,
  now: Date,
): Date | null {
  const lastMissed = new Date(now.getTime() - MISSED_AFTER_MS - 1);
  return timetable.next(misfire === 'RUN_ONCE' && lastMissed > over ? lastMissed : over);
}

import type { OccurrenceOutcome } from '../../models/schedule.model.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** A scheduler of this process has ended an occurrence, `lateMs` after its time. `code` is the problem of a refusal. */
export const occurrenceEnded = new DiagnosticEvent<{
  outcome: OccurrenceOutcome;
  lateMs: number;
  code?: string;
}>('schedule-occurrence-ended');

/** A schedule has missed occurrences, and its `misfire` drops them. */
export const occurrencesMissed = new DiagnosticEvent<{ scheduleId: number }>(
  'schedule-occurrences-missed',
);

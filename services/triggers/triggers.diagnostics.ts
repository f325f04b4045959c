import type { OccurrenceOutcome } from '../../models/schedule.model.ts';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** A scheduler of this process has ended an occurrence, `lateMs` after its time. `code` is the problem of a refusal. */
export const occurrenceEnded = new DiagnosticEvent<{
  outcome: OccurrenceOutcome;
  lateMs: number;
  code?: string;
}>('schedule-occurrence-ended');

/**
 * A request to the URL of a webhook has been answered. `unknown`: no webhook has the URL; `unsigned`: the signature does
 * not fit; `refused`: another fault of the request, the flow or the workspace; `failed`: a fault of the service.
 */
export const requestReceived = new DiagnosticEvent<{
  outcome: 'accepted' | 'unknown' | 'unsigned' | 'refused' | 'failed';
}>('webhook-request-received');

/** A schedule has dropped occurrences that it had missed, one or several at once. */
export const occurrencesDropped = new DiagnosticEvent<{ scheduleId: number }>(
  'schedule-occurrences-dropped',
);

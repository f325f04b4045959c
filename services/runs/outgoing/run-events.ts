import type { EventType, RecordedEvent } from '../../../contract/outgoing-event.ts';
import { entryIdPrefix } from '../../../mixins/changes/outbox.ts';
import { RUN_EVENTS } from '../../../models/run.model.ts';
import type { RunStatus } from '../../../models/run-status.ts';
import { type ShownRun, showRun } from '../show-run.ts';

/** The events of a run that are not published yet, in their order. A child run has none. */
export function pendingEventsOf(run: ShownRun): RecordedEvent[] {
  if (run.isChild) return [];
  const pending = run.eventsPending ?? 0;
  const { startedAt, completedAt } = run;
  const events: RecordedEvent[] = [];
  if (pending & RUN_EVENTS.started && startedAt) {
    events.push(eventOf(run, 'run.started', startedAt, asStarted(run)));
  }
  const type = ENDS[run.status];
  if (pending & RUN_EVENTS.ended && completedAt && type) {
    events.push(eventOf(run, type, completedAt, run));
  }
  return events;
}

/** The types of the events that a run with these flags has, for the question whether they are wanted. */
export const pendingTypesOf = (
  run: Pick<ShownRun, 'eventsPending' | 'status' | 'isChild'>,
): EventType[] => {
  if (run.isChild) return [];
  const pending = run.eventsPending ?? 0;
  const end = ENDS[run.status];
  return [
    ...(pending & RUN_EVENTS.started ? (['run.started'] as const) : []),
    ...(pending & RUN_EVENTS.ended && end ? [end] : []),
  ];
};

const ENDS: Partial<Record<RunStatus, EventType>> = {
  SUCCESS: 'run.succeeded',
  FAILED: 'run.failed',
  TIMED_OUT: 'run.failed',
  CANCELLED: 'run.cancelled',
};

/** The run as it was at its start. */
const asStarted = ({ completedAt: _, wakeAt: __, ...run }: ShownRun): ShownRun => ({
  ...run,
  status: 'RUNNING',
  output: null,
  error: null,
});

const eventOf = (run: ShownRun, type: EventType, at: Date, shown: ShownRun): RecordedEvent => ({
  id: eventIdOf(run._id, type === 'run.started' ? 1 : 2, at),
  at: at.toISOString(),
  workspaceId: run.workspaceId,
  type,
  resource: { type: 'run', id: run._id },
  data: showRun(shown),
});

/**
 * A UUID of version 8 (RFC 9562) in the order of time: its last 60 bits are the run's id. So a repeated publication has the
 * same id.
 */
function eventIdOf(runId: number, phase: 1 | 2, at: Date): string {
  const id = runId.toString(16).padStart(15, '0');
  return `${entryIdPrefix(at.getTime())}-800${phase}-8${id.slice(0, 3)}-${id.slice(3)}`;
}

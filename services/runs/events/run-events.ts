import type { RunStatus } from '../../../models/run-status.ts';
import type { RunEvent } from '../contract/events.ts';
import { showDescription } from '../show-step.ts';
import type { EventEntry, EventRun } from './event-source.ts';

/** The id of the first event of each run. */
const QUEUED_EVENT = 1;
/** The id of the second event of each run, at its start. */
const RUNNING_EVENT = 2;

/** An event, and the number of its entry; 0 for the first events, which have no entry. */
export interface EntryEvent {
  n: number;
  event: RunEvent;
}

/** The events of a run before its first entry. */
export function firstEvents({ startedAt }: EventRun): EntryEvent[] {
  const queued = statusEvent(QUEUED_EVENT, 'QUEUED');
  return [
    { n: 0, event: queued },
    ...(startedAt ? [{ n: 0, event: statusEvent(RUNNING_EVENT, 'RUNNING') }] : []),
  ];
}

/** The events of an entry. An entry of an older version has none. */
export function eventsOf({ n, event, wait, step }: EventEntry, run: EventRun): EntryEvent[] {
  if (event === undefined) return [];
  if (step) return [{ n, event: { id: event, event: 'step', data: showDescription({ n, step }) } }];
  if (!wait) return [];
  const waiting = statusEvent(event, 'WAITING', wait.wakeAt);
  const running = statusEvent(event + 1, 'RUNNING');
  return [
    { n, event: waiting },
    ...(running.id <= lastEventOf(run) ? [{ n, event: running }] : []),
  ];
}

/** Returns the id of the last event before the end. A suspended run has no RUNNING after its last WAITING. */
export function lastEventOf({ events, suspended, startedAt }: EventRun): number {
  if (events === undefined) return startedAt ? RUNNING_EVENT : QUEUED_EVENT;
  return suspended ? events - 1 : events;
}

const statusEvent = (id: number, status: RunStatus, wakeAt: Date | null = null): RunEvent => ({
  id,
  event: 'run',
  data: { status, wakeAt: wakeAt?.toISOString() ?? null },
});

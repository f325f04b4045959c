import type { RunEvent } from '../contract/events.ts';
import { showRun } from '../show-run.ts';
import { type EventPosition, textOf } from './event-position.ts';
import { type EventEntry, type EventRun, findMovedEntry, readMovedEvents } from './event-source.ts';
import { type EntryEvent, eventsOf, firstEvents, lastEventOf } from './run-events.ts';

/** Moved entries that one page reads; the next page reads further entries. */
const PAGE_ENTRIES = 200;
/** Bytes of the events of a page. The event that exceeds this size is the last event of the page. */
const PAGE_BYTES = 192 * 1024;
/** Bytes of the input and the output of an ended run up to which its end shares a page with earlier events. */
const END_BYTES = 32 * 1024;

/** A page of events, and the state of the run as it was read. */
export interface ReadEvents {
  page: { events: RunEvent[]; next: string | null };
  state: string;
}

/** Returns a text that differs between two states of a run with an event between them. */
export const stateOf = ({
  status,
  events,
  suspended,
}: Pick<EventRun, 'status' | 'events' | 'suspended'>): string =>
  `${status} ${events ?? 0} ${suspended ?? false}`;

/** Reads the next events of a run after a position. The end of the run is a page of its own where it may be large. */
export async function readEvents(run: EventRun, position: EventPosition): Promise<ReadEvents> {
  const { entries, hasMore } = await readEntries(run, position);
  const begun = position.event < 2 ? firstEvents(run) : [];
  const later = [...begun, ...entries.flatMap((entry) => eventsOf(entry, run))];
  const unread = later.filter(({ event }) => event.id > position.event);
  const page = takePage(unread);
  const events = page.map(({ event }) => event);
  const last = page.at(-1);
  const state = stateOf(run);
  const isComplete = !run.live && !hasMore && page.length === unread.length;
  if (last && !(isComplete && hasSmallEnd(run))) {
    const next = textOf({ event: last.event.id, n: Math.max(last.n - 1, 0) });
    return { state, page: { events, next } };
  }
  if (!isComplete) return { state, page: { events: [], next: textOf(position) } };
  return { state, page: { events: [...events, ...endOf(run, position)], next: null } };
}

/** Whether the last event of a run, with its input and output, may stand in a page with other events. */
const hasSmallEnd = ({ baseBytes = PAGE_BYTES, resultBytes = PAGE_BYTES }: EventRun): boolean =>
  baseBytes + resultBytes <= END_BYTES;

/** Reads entries after a position, from the rows that the journal was moved to and from the run. */
async function readEntries(
  run: EventRun,
  position: EventPosition,
): Promise<{ entries: EventEntry[]; hasMore: boolean }> {
  const { journal } = run;
  const isMovedBefore = run.moved === 0 || position.event >= eventBefore(run);
  if (isMovedBefore) return { entries: journal, hasMore: false };
  const n = position.n ?? (await findMovedEntry(run, position.event));
  const moved = await readMovedEvents(run, n, PAGE_ENTRIES);
  const hasMore = moved.length === PAGE_ENTRIES;
  return { entries: hasMore ? moved : [...moved, ...journal], hasMore };
}

/** The id of the last event before the first entry that is not moved. */
function eventBefore(run: EventRun): number {
  const [first] = run.journal;
  if (first?.event === undefined) return run.events ?? 0;
  return first.step || first.wait ? first.event - 1 : first.event;
}

function takePage(events: readonly EntryEvent[]): EntryEvent[] {
  let bytes = 0;
  const end = events.findIndex(({ event }) => {
    bytes += JSON.stringify(event).length;
    return bytes > PAGE_BYTES;
  });
  return events.slice(0, end < 0 ? undefined : end + 1);
}

/** The last event of an ended run; none for a reader that has it. */
function endOf(run: EventRun, { event }: EventPosition): RunEvent[] {
  const id = lastEventOf(run) + 1;
  return event >= id ? [] : [{ id, event: 'end', data: showRun(run) }];
}

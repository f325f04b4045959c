import { batchFind } from '../../../mixins/database/batch-loader.ts';
import type { JournalEntry } from '../../../models/journal-entry.ts';
import { RunModel } from '../../../models/run.model.ts';
import { RunStepModel, runStepId } from '../../../models/run-step.model.ts';
import { SHOWN_FIELDS, type ShownRun } from '../show-run.ts';
import type { DescribedStep } from '../show-step.ts';

/** The fields of a step that its event shows. The values of the step are not among these fields. */
const STEP_FIELDS: readonly (keyof DescribedStep['step'])[] = [
  'path',
  'name',
  'iteration',
  'visit',
  'attempt',
  'status',
  'error',
  'startedAt',
  'completedAt',
  'request',
  'response',
];
const ENTRY_FIELDS = ['n', 'event', 'wait', ...STEP_FIELDS.map((name) => `step.${name}`)];
const projectionOf = (names: readonly string[]): Record<string, 1> =>
  Object.fromEntries(names.map((name) => [name, 1]));

/** A journal entry that is an event: a step or a suspension. */
export type EventEntry = Pick<JournalEntry, 'n' | 'event' | 'wait'> & Partial<DescribedStep>;

/** The shown fields of a run, with the entries that are not moved. `readAt` is before the read, by `performance.now`. */
export type EventRun = ShownRun & { journal: EventEntry[]; readAt: number };

const { journal: _, ...RUN_FIELDS } = SHOWN_FIELDS;

const find = batchFind<Omit<EventRun, 'readAt'>>(RunModel, {
  projection: {
    ...RUN_FIELDS,
    'journal.effect': 0,
    'journal.sentSecrets': 0,
    'journal.dropped': 0,
    'journal.step.input': 0,
    'journal.step.output': 0,
    'journal.step.transcript': 0,
  },
  filter: { expired: { $exists: false } },
});

/** Finds a run with its events; null where there is none, or where retention removes the run. */
export async function findEventRun(runId: number): Promise<EventRun | null> {
  const readAt = performance.now();
  const run = await find(runId);
  return run && { ...run, readAt };
}

/** Reads at most `limit` moved entries after the entry `n`, which are events, in order. */
export const readMovedEvents = (
  { _id, moved }: EventRun,
  n: number,
  limit: number,
): Promise<EventEntry[]> =>
  RunStepModel.find(
    {
      _id: { $gt: runStepId(_id, n), $lte: runStepId(_id, moved) },
      event: { $exists: true },
      $or: [{ 'step.path': { $exists: true } }, { wait: { $exists: true } }],
    },
    projectionOf(ENTRY_FIELDS),
  )
    .sort({ _id: 1 })
    .limit(limit)
    .lean<EventEntry[]>();

/**
 * Finds the last moved entry whose event is not after `event`, by bisection: the events of entries never fall. Returns
 * the number of the entry before, because the entry of a suspension gives the next event as well.
 */
export async function findMovedEntry({ _id, moved }: EventRun, event: number): Promise<number> {
  let low = 0;
  let high = moved;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const row = await RunStepModel.findById(runStepId(_id, middle), { event: 1 }).lean();
    if ((row?.event ?? 0) <= event) low = middle;
    else high = middle - 1;
  }
  return Math.max(low - 1, 0);
}

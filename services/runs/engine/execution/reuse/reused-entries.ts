import { type Plan, reusableKeys } from '@workspace-automation/flow-language';
import { readInBatches } from '../../../../../mixins/database/row-cursor.ts';
import type { JournalEntry } from '../../../../../models/journal-entry.ts';
import { type RunDocument, RunModel } from '../../../../../models/run.model.ts';
import { RunStepModel, runStepId } from '../../../../../models/run-step.model.ts';
import type { RunError } from '../../../contract/resources.ts';
import { numbersIn } from '../journal/number-ranges.ts';
import { nameOf, sourceOf } from '../plan-cache.ts';
import { type EffectEntry, FailedEntry } from './failed-entry.ts';

/** Moved entries of one reply of the database. */
const ENTRIES_BATCH = 100;

/** The fields of a run whose journal entries another run reuses. */
const FIELDS = {
  flowId: 1,
  flowName: 1,
  versionId: 1,
  execution: 1,
  status: 1,
  error: 1,
  openSteps: 1,
  journal: 1,
  moved: 1,
  retryOf: 1,
  copiesJournal: 1,
  reused: 1,
} as const;
export type ReusedRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

/**
 * Finds the run whose journal the retry of a run reuses: that run, or the run that it retries where it ended before the
 * copy of that run's journal was complete. Null once retention removes one of them.
 */
export async function findRetriedRun(_id: number): Promise<ReusedRun | null> {
  const kept = { _id, expired: { $exists: false } } as const;
  const run = await RunModel.findOne(kept, FIELDS).lean<ReusedRun>();
  if (!run?.copiesJournal || run.retryOf === undefined) return run;
  return findRetriedRun(run.retryOf);
}

/** The plan of a run; null where its version cannot be compiled any more. */
export type FindPlan = (run: Pick<RunDocument, 'execution'> & PlanSource) => Promise<Plan | null>;
type PlanSource = Parameters<typeof sourceOf>[0];

/**
 * Makes the test of the journal entries that a run may reuse: entries of tasks with the same definition. Null where one
 * of the two definitions is not known.
 */
export async function reuseTestOf(
  retried: ReusedRun,
  run: RunDocument,
  planOf: FindPlan,
): Promise<((key: string) => boolean) | null> {
  if (nameOf(sourceOf(retried)) === nameOf(sourceOf(run))) return () => true;
  const [before, now] = [await planOf(retried), await planOf(run)];
  return before && now && reusableKeys(before, now);
}

/**
 * Lists the entries of a run up to the step that failed, without suspensions, without the entries that the run itself
 * had reused and dropped, and without the steps after that of the last effect, which are computed again.
 */
export async function* listReusedEntries(
  retried: ReusedRun,
  isReusable: (key: string) => boolean,
): AsyncGenerator<JournalEntry> {
  const dropped = await droppedEntriesOf(retried);
  const failed = await failedEntryOf(retried, dropped);
  let steps: JournalEntry[] = [];
  let lastEffect = '';
  for await (const entry of readEntries(retried)) {
    if (entry.wait || dropped.has(entry.n)) continue;
    if (entry.n >= failed || !isReusable(entry.key)) return;
    steps.push(entry);
    if (entry.effect) lastEffect = entry.key;
    else if (entry.step && entry.key !== lastEffect) continue;
    yield* steps;
    steps = [];
  }
}

/** The numbers of the entries that the run had reused and dropped. */
async function droppedEntriesOf(retried: ReusedRun): Promise<Set<number>> {
  const numbers = new Set<number>();
  if (!retried.reused) return numbers;
  for await (const { dropped = [] } of readEntries(retried, { n: 1, dropped: 1 }))
    for (const n of dropped.flatMap(numbersIn)) numbers.add(n);
  return numbers;
}

/** No entry failed in a run that was ended at its open steps: their effects have no entries. */
async function failedEntryOf(retried: ReusedRun, dropped: ReadonlySet<number>): Promise<number> {
  const error = retried.error === null ? null : (JSON.parse(retried.error) as RunError);
  if (retried.status !== 'FAILED' || retried.openSteps || !error?.instance)
    return Number.POSITIVE_INFINITY;
  const failed = new FailedEntry(error);
  for await (const entry of readEntries(retried, {
    n: 1,
    key: 1,
    'effect.kind': 1,
    'effect.json': 1,
  }))
    if (isEffect(entry) && !dropped.has(entry.n)) failed.add(entry);
  return failed.n;
}

const isEffect = (entry: JournalEntry): entry is JournalEntry & EffectEntry =>
  entry.effect !== undefined;

async function* readEntries(
  { _id, moved, journal }: ReusedRun,
  fields: Record<string, 1> = {},
): AsyncGenerator<JournalEntry> {
  if (moved > 0) {
    const ids = { $gt: runStepId(_id, 0), $lte: runStepId(_id, moved) };
    const query = RunStepModel.find({ _id: ids }, fields).sort({ _id: 1 }).lean();
    yield* readInBatches<JournalEntry>(query, ENTRIES_BATCH);
  }
  for (const entry of journal) if (entry.n > moved) yield entry;
}

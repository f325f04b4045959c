import { type Model, model, Schema } from 'mongoose';
import { type JournalEntry, journalEntryFields } from './journal-entry.ts';

/**
 * Journal entries that no longer fit into their run. `_id` is made of the run and the entry's number,
 * so that moving an entry twice changes nothing and a run's entries lie side by side, in order.
 */
export interface RunStepDocument extends JournalEntry {
  _id: string;
}

const DIGITS = 9;
export const runStepId = (runId: number, n: number): string =>
  `${runId}/${String(n).padStart(DIGITS, '0')}`;
/** Bounds of the ids of one run's entries: `$gt` and `$lt`. */
export const runStepIds = (runId: number): { $gt: string; $lt: string } => ({
  $gt: `${runId}/`,
  $lt: `${runId}/~`,
});

const schema = new Schema<RunStepDocument>(
  { _id: String, ...journalEntryFields },
  { collection: 'run_steps', versionKey: false, minimize: false },
);

export const RunStepModel: Model<RunStepDocument> = model<RunStepDocument>('RunStep', schema);

import { type DocumentOf, defineModel, field } from './define-model.ts';
import { journalEntryFields } from './journal-entry.ts';

/**
 * Journal entries that were moved out of their run. `_id` is made of the run and the entry's number,
 * so that a second move of an entry has no effect, and the entries of a run lie side by side, in order.
 */
const fields = {
  _id: field.string,
  ...journalEntryFields,
};
export type RunStepDocument = DocumentOf<typeof fields>;

const DIGITS = 9;
export const runStepId = (runId: number, n: number): string =>
  `${runId}/${String(n).padStart(DIGITS, '0')}`;
/** Bounds of the ids of one run's entries: `$gt` and `$lt`. */
export const runStepIds = (runId: number): { $gt: string; $lt: string } => ({
  $gt: `${runId}/`,
  $lt: `${runId}/~`,
});

export const RunStepModel = defineModel({
  name: 'RunStep',
  collection: 'run_steps',
  fields,
});

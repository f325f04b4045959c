import { type DocumentOf, defineModel, field } from './define-model.ts';
import { checkpointText, journalEntryFields } from './journal-entry.ts';

/**
 * A journal entry that was moved out of its run's document, or the text of a large checkpoint. `_id` contains the run's
 * id and the entry's number, so that a repeated move has no effect and the entries of a run are in order.
 */
const fields = {
  _id: field.string,
  ...journalEntryFields,
  /** The text of a checkpoint, in a row that is no journal entry. */
  checkpoint: field.optional(checkpointText),
};
export type RunStepDocument = DocumentOf<typeof fields>;

/** Digits of an entry's number in its id. Numbers are padded to this length, so that ids are in the order of the numbers. */
const DIGITS = 9;
export const runStepId = (runId: number, n: number): string =>
  `${runId}/${String(n).padStart(DIGITS, '0')}`;
/** The numbers of the rows of a run's large checkpoints, which take turns. */
export const CHECKPOINT_SLOTS = [0, 1] as const;
export const checkpointId = (runId: number, slot: number): string => `${runId}/checkpoint/${slot}`;
/** The bounds of the ids of one run's rows, the rows of its checkpoints included. */
export const runStepIds = (runId: number): { $gt: string; $lt: string } => ({
  $gt: `${runId}/`,
  $lt: `${runId}/~`,
});

export const RunStepModel = defineModel({
  name: 'RunStep',
  collection: 'run_steps',
  fields,
  lifecycle: {
    workspace: { removeWith: 'runs', where: (runId) => ({ _id: runStepIds(runId) }) },
    person: { keep: 'steps name no person' },
  },
});

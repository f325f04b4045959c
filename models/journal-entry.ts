import { type DocumentOf, field } from './define-model.ts';

/** How an effect ended, as the interpreter is told again on a replay. */
const effectFields = {
  kind: field.stringOf<'succeeded' | 'failed' | 'timed-out'>(),
  /** JSON of the value, or of the problem. Text keeps key order, `$` keys and depth. */
  json: field.nullable(field.string),
  /** Milliseconds since the epoch. */
  completedAt: field.number,
};
export type EffectRecord = DocumentOf<typeof effectFields>;
const effect = field.object(effectFields);

/** One executed task, for people to look at. Values are JSON; null is no value. */
const stepFields = {
  path: field.string,
  name: field.string,
  iteration: field.string,
  visit: field.number,
  attempt: field.number,
  status: field.stringOf<'SUCCESS' | 'FAILED' | 'SKIPPED'>(),
  input: field.nullable(field.string),
  /** Given when `input` is only the beginning of the JSON. */
  inputCut: field.flag,
  output: field.nullable(field.string),
  outputCut: field.flag,
  error: field.nullable(field.string),
  startedAt: field.date,
  completedAt: field.date,
};
export type StepRecord = DocumentOf<typeof stepFields>;
const step = field.object(stepFields);

/** What a run's journal holds: either half, under the same key when both are of one task. */
export const journalEntryFields = {
  /** From 1, in the order of the journal; the step's id. */
  n: field.number,
  /** Where in the run: path, iteration, visit, attempt. */
  key: field.string,
  effect: field.optional(effect),
  step: field.optional(step),
};
export type JournalEntry = DocumentOf<typeof journalEntryFields>;
export const journalEntry = field.object(journalEntryFields);

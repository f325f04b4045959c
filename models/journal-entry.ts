import { type DocumentOf, field } from './define-model.ts';

/** The outcome of an effect. A replay gives the interpreter the same outcome. */
const effectFields = {
  kind: field.stringOf<'succeeded' | 'failed' | 'timed-out'>(),
  /** The value or the problem as JSON text, which preserves the order of keys, `$` keys and any depth. */
  json: field.nullable(field.string),
  /** The end of the effect, in milliseconds since the epoch. */
  completedAt: field.number,
  /** The credential whose secret was sent. Later effects of the run are masked by its secret as well. */
  credentialId: field.optional(field.number),
};
export type EffectRecord = DocumentOf<typeof effectFields>;
const effect = field.object(effectFields);

/** The record of one executed task, for the steps of the run. `input`, `output` and `error` are JSON, or null for no value. */
const stepFields = {
  path: field.string,
  name: field.string,
  iteration: field.string,
  visit: field.number,
  attempt: field.number,
  status: field.stringOf<'SUCCESS' | 'FAILED' | 'SKIPPED'>(),
  input: field.nullable(field.string),
  /** Set when `input` has only the beginning of the JSON. */
  inputCut: field.flag,
  output: field.nullable(field.string),
  outputCut: field.flag,
  error: field.nullable(field.string),
  startedAt: field.date,
  completedAt: field.date,
};
export type StepRecord = DocumentOf<typeof stepFields>;
const step = field.object(stepFields);

/** An entry of a run's journal: an effect, a step, or both halves of one task under one key. */
export const journalEntryFields = {
  /** The number of the entry in the journal, from 1, which is the id of the step as well. */
  n: field.number,
  /** The position of the task in the run: path, iteration, visit, attempt. */
  key: field.string,
  effect: field.optional(effect),
  step: field.optional(step),
};
export type JournalEntry = DocumentOf<typeof journalEntryFields>;
export const journalEntry = field.object(journalEntryFields);

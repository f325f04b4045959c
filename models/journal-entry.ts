import { type DocumentOf, field } from './define-model.ts';
import { exchangeFields } from './exchange.ts';

/** The outcome of an effect. A replay gives the interpreter the same outcome. */
const effectFields = {
  kind: field.stringOf<'succeeded' | 'failed' | 'timed-out'>(),
  /** The value or the problem as JSON text, which preserves the order of keys, `$` keys and any depth. */
  json: field.nullable(field.string),
  /** The end of the effect, in milliseconds since the epoch. */
  completedAt: field.number,
  /** The credential whose secret was sent. Its secrets are in an earlier entry, except in journals of older versions. */
  credentialId: field.optional(field.number),
  /** The request and response of a call, for its step. */
  ...exchangeFields,
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
  ...exchangeFields,
};
export type StepRecord = DocumentOf<typeof stepFields>;
const step = field.object(stepFields);

/**
 * The secrets that a call sends, written before the call. Each version of a credential's secrets has one entry in a
 * run. A later worker masks by them, also where the credential has been changed or deleted.
 */
const sentSecretsFields = {
  credentialId: field.number,
  /** The secrets, sealed by `connections` for the workspace and the credential. */
  sealed: field.string,
};
export type SentSecrets = DocumentOf<typeof sentSecretsFields>;
const sentSecrets = field.object(sentSecretsFields);

/** An entry of a run's journal: an effect, a step, both halves of one task under one key, or secrets. */
export const journalEntryFields = {
  /** The number of the entry in the journal, from 1, which is the id of the step as well. */
  n: field.number,
  /** The position of the task in the run: path, iteration, visit, attempt. */
  key: field.string,
  effect: field.optional(effect),
  step: field.optional(step),
  sentSecrets: field.optional(sentSecrets),
};
export type JournalEntry = DocumentOf<typeof journalEntryFields>;
export const journalEntry = field.object(journalEntryFields);

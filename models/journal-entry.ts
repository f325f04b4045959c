import { type DocumentOf, field } from './define-model.ts';
import { exchangeFields } from './exchange.ts';

/** A signal that a `listen` has received. */
const receivedSignalFields = { name: field.string, id: field.number };
export type ReceivedSignal = DocumentOf<typeof receivedSignalFields>;

/** The outcome of an effect. A replay gives the interpreter the same outcome. */
const effectFields = {
  kind: field.stringOf<'succeeded' | 'failed' | 'timed-out'>(),
  /** The value or the problem as JSON text, which preserves the order of keys, `$` keys and any depth. */
  json: field.nullable(field.string),
  /** The end of the effect, in milliseconds since the epoch. */
  completedAt: field.number,
  /** The credential whose secret was sent. Its secrets are in an earlier entry, except in journals of older versions. */
  credentialId: field.optional(field.number),
  /** The signal whose body the value is. The run's `consumedSignals` names it in the same write. */
  signal: field.optional(field.object(receivedSignalFields)),
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

/**
 * A checkpoint of a run's interpretation. A worker that claims the run goes on from it and reads only the journal
 * entries after it. A large checkpoint has its text in a row of its own.
 */
const checkpointFields = {
  /** The number of the last journal entry before the checkpoint. */
  n: field.number,
  /** The fence of the worker that wrote the checkpoint. */
  fence: field.number,
  /** The numbers of earlier entries that tasks under way ask for again. */
  open: field.list(field.number),
  /** The steps recorded before the checkpoint. */
  steps: field.number,
  /** The state as JSON text; absent where the row has it. */
  text: field.optional(field.string),
  /** The slot of the row, 0 or 1; absent where the text is here. */
  slot: field.optional(field.number),
  /** The length of the text. */
  length: field.number,
};
export type StoredCheckpoint = DocumentOf<typeof checkpointFields>;
export const checkpoint = field.object(checkpointFields);

/** The text of a large checkpoint. */
const checkpointTextFields = { n: field.number, fence: field.number, text: field.string };
export type CheckpointText = DocumentOf<typeof checkpointTextFields>;
export const checkpointText = field.object(checkpointTextFields);

/** Numbers of entries, from the first to the last. */
const numberRange = field.object({ from: field.number, to: field.number });
export type NumberRange = DocumentOf<{ range: typeof numberRange }>['range'];

/** An entry of a run's journal: an effect, a step, both halves of one task under one key, secrets, or a suspension. */
export const journalEntryFields = {
  /** The number of the entry in the journal, from 1, which is the id of the step as well. */
  n: field.number,
  /** The position of the task in the run: path, iteration, visit, attempt. */
  key: field.string,
  effect: field.optional(effect),
  step: field.optional(step),
  sentSecrets: field.optional(sentSecrets),
  /** Given for a suspension, which has no task. */
  wait: field.optional(field.object({ wakeAt: field.date })),
  /** The reused entries that the run has dropped before this entry, because it does other things than the retried run. */
  dropped: field.optional(field.list(numberRange)),
  /**
   * The number of the last event of the run up to this entry. A step is an event, and so is a suspension; the RUNNING
   * after a suspension has the next number and no entry. Absent in entries of older versions.
   */
  event: field.optional(field.number),
};
export type JournalEntry = DocumentOf<typeof journalEntryFields>;
export const journalEntry = field.object(journalEntryFields);

import { Schema } from 'mongoose';

/** How an effect ended, as the interpreter is told again on a replay. */
export interface EffectRecord {
  kind: 'succeeded' | 'failed' | 'timed-out';
  /** JSON of the value, or of the problem. Text keeps key order, `$` keys and depth. */
  json: string | null;
  /** Milliseconds since the epoch. */
  completedAt: number;
}

/** One executed task, for people to look at. Values are JSON; null is no value. */
export interface StepRecord {
  path: string;
  name: string;
  iteration: string;
  visit: number;
  attempt: number;
  status: 'SUCCESS' | 'FAILED' | 'SKIPPED';
  input: string | null;
  /** Given when `input` is only the beginning of the JSON. */
  inputCut?: true;
  output: string | null;
  outputCut?: true;
  error: string | null;
  startedAt: Date;
  completedAt: Date;
}

/** What a run's journal holds: either half, under the same key when both are of one task. */
export interface JournalEntry {
  /** From 1, in the order of the journal; the step's id. */
  n: number;
  /** Where in the run: path, iteration, visit, attempt. */
  key: string;
  effect?: EffectRecord;
  step?: StepRecord;
}

const effect = new Schema<EffectRecord>(
  { kind: String, json: String, completedAt: Number },
  { _id: false, id: false },
);
const step = new Schema<StepRecord>(
  {
    path: String,
    name: String,
    iteration: String,
    visit: Number,
    attempt: Number,
    status: String,
    input: String,
    inputCut: Boolean,
    output: String,
    outputCut: Boolean,
    error: String,
    startedAt: Date,
    completedAt: Date,
  },
  { _id: false, id: false },
);

/** The fields of a journal entry, in a run and in a collection of their own alike. */
export const journalEntryFields = { n: Number, key: String, effect, step };

import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A process that works on runs. It is alive while `beat` changes. */
const fields = {
  _id: field.string,
  beat: field.number,
  /** How many runs it works on at once. */
  capacity: field.number,
  /** The name of its process: host name and pid, as in `nodes` of the console. */
  node: field.optional(field.string),
  /** Where it runs, so that others on the same machine can prove its end; null when unknown. */
  host: field.nullable(field.string),
  pid: field.number,
  /** When the process started, in the clock of its machine: tells a pid that was given anew. */
  pidStart: field.nullable(field.string),
  /** Set by whoever found it dead; it may never write again. */
  dead: field.flag,
};
export type WorkerDocument = DocumentOf<typeof fields>;

export const WorkerModel = defineModel({
  name: 'RunWorker',
  collection: 'run_workers',
  fields,
});

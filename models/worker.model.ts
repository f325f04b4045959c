import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A process that executes runs. The process is alive while `beat` changes. */
const fields = {
  _id: field.string,
  beat: field.number,
  /** The time of the latest beat by the clock of the database, which its worker reads. Absent in workers of older versions. */
  beatAt: field.optional(field.date),
  /** The number of runs that the process executes at once. */
  capacity: field.number,
  /** The name of the process, of host name and pid, as in `nodes` of the console. */
  node: field.optional(field.string),
  /** The boot id and the pid namespace, in which `pid` is unique at any time; null when unknown. */
  host: field.nullable(field.string),
  pid: field.number,
  /** The start of the process in the machine's clock, which distinguishes processes with a reused pid. */
  pidStart: field.nullable(field.string),
  /** Set by the process that finds the worker dead. A dead worker may never write again. */
  dead: field.flag,
};
export type WorkerDocument = DocumentOf<typeof fields>;

export const WorkerModel = defineModel({
  name: 'RunWorker',
  collection: 'run_workers',
  fields,
  lifecycle: {
    workspace: { keep: 'a worker is a process' },
    person: { keep: 'a worker is a process' },
  },
});

import { type Model, model, Schema } from 'mongoose';

/** A process that works on runs. It is alive while `beat` changes. */
export interface WorkerDocument {
  _id: string;
  beat: number;
  /** How many runs it works on at once. */
  capacity: number;
  /** The name of its process: host name and pid, as in `nodes` of the console. */
  node?: string;
  /** Where it runs, so that others on the same machine can prove its end; null when unknown. */
  host: string | null;
  pid: number;
  /** When the process started, in the clock of its machine: tells a pid that was given anew. */
  pidStart: string | null;
  /** Set by whoever found it dead; it may never write again. */
  dead?: true;
}

const schema = new Schema<WorkerDocument>(
  {
    _id: String,
    beat: Number,
    capacity: Number,
    node: String,
    host: String,
    pid: Number,
    pidStart: String,
    dead: Boolean,
  },
  { collection: 'run_workers', versionKey: false },
);

export const WorkerModel: Model<WorkerDocument> = model<WorkerDocument>('RunWorker', schema);

import { type Model, model, Schema } from 'mongoose';

/**
 * Counters that each run raises exactly once: those of a workspace for its created runs, their inputs,
 * its ended and its removed runs, and one for each flow and day of those that ended. How: `services/runs/statistics/rollup-writer.ts`.
 */
export interface RollupDocument {
  /** `created/`, `inputs/`, `results/` or `removed/<workspace>`, or `ended/<workspace>/<flow>/<day>`. */
  _id: string;
  workspaceId: number;
  /** In tallies by flow and day. */
  flowId?: number;
  /** `YYYY-MM-DD` in UTC, in tallies by flow and day. */
  day?: string;
  flowName?: string;
  runs: number;
  success: number;
  failed: number;
  durationMs: number;
  /** In tallies of a workspace: what those runs take in the database, or no longer take. */
  bytes?: number;
  /** Runs counted here that may not be marked as counted yet. */
  applied: number[];
  /** Raised by every change: a change made from an older reading is refused. */
  version: number;
}

const schema = new Schema<RollupDocument>(
  {
    _id: String,
    workspaceId: Number,
    flowId: Number,
    day: String,
    flowName: String,
    runs: Number,
    success: Number,
    failed: Number,
    durationMs: Number,
    bytes: Number,
    applied: [Number],
    version: Number,
  },
  { collection: 'run_tallies', versionKey: false },
);
schema.index({ workspaceId: 1, day: 1, flowId: 1 });

export const RollupModel: Model<RollupDocument> = model<RollupDocument>('RunTally', schema);

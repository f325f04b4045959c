import { type Model, model, Schema } from 'mongoose';

/**
 * A sum to which each run is added exactly once (`services/runs/statistics/rollup-writer.ts`). A workspace has
 * one of its created runs, one each of the bytes of their inputs and results, one of its removed runs, and one
 * of the ended runs of each flow and day. The collection keeps its older name `run_tallies`, which data folders
 * and processes of older versions use.
 */
export interface RollupDocument {
  /** `created/`, `inputs/`, `results/` or `removed/<workspace>`, or `ended/<workspace>/<flow>/<day>`. */
  _id: string;
  workspaceId: number;
  /** Only in rollups of a flow and day. */
  flowId?: number;
  /** `YYYY-MM-DD` in UTC; only in rollups of a flow and day. */
  day?: string;
  flowName?: string;
  runs: number;
  success: number;
  failed: number;
  durationMs: number;
  /** Only in rollups of a workspace: the bytes that those runs take in the database, or no longer take. */
  bytes?: number;
  /** Ids of runs that were added here and whose flag (`ROLLUP_PENDING`) may not be cleared yet. */
  applied: number[];
  /** Raised by every change; a change that was planned at an older version is refused. */
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

export const RollupModel: Model<RollupDocument> = model<RollupDocument>('Rollup', schema);

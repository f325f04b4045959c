import { type DocumentOf, defineModel, field } from './define-model.ts';

/**
 * A sum to which each run is added exactly once (`services/runs/statistics/rollup-writer.ts`). A workspace has
 * one of its created runs, one each of the bytes of their inputs and results, one of its removed runs, and one
 * of the ended runs of each flow and day. The collection keeps its older name `run_tallies`, which data folders
 * and processes of older versions use.
 */
const fields = {
  /** `created/`, `inputs/`, `results/` or `removed/<workspace>`, or `ended/<workspace>/<flow>/<day>`. */
  _id: field.string,
  workspaceId: field.number,
  /** Only in rollups of a flow and day. */
  flowId: field.optional(field.number),
  /** `YYYY-MM-DD` in UTC; only in rollups of a flow and day. */
  day: field.optional(field.string),
  flowName: field.optional(field.string),
  runs: field.number,
  success: field.number,
  failed: field.number,
  durationMs: field.number,
  /** Only in rollups of a workspace: the bytes that those runs take in the database, or no longer take. */
  bytes: field.optional(field.number),
  /** Ids of runs that were added here and whose flag (`ROLLUP_PENDING`) may not be cleared yet. */
  applied: field.list(field.number),
  /** Raised by every change; a change that was planned at an older version is refused. */
  version: field.number,
};
export type RollupDocument = DocumentOf<typeof fields>;

export const RollupModel = defineModel({
  name: 'Rollup',
  collection: 'run_tallies',
  fields,
  indexes: [[{ workspaceId: 1, day: 1, flowId: 1 }]],
});

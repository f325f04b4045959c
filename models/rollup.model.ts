import { type DocumentOf, defineModel, field } from './define-model.ts';

/**
 * A sum to which each run is added exactly once (`services/runs/statistics/rollup-writer.ts`). The collection keeps
 * its older name `run_tallies`, which data folders and processes of older versions use.
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
  /** The bytes of the rollup's runs in the database, or the freed bytes of removed runs. Only in rollups of a workspace. */
  bytes: field.optional(field.number),
  /** Ids of runs that were added to the rollup and whose flag (`ROLLUP_PENDING`) may still be set. */
  applied: field.list(field.number),
  /** The version of the rollup, raised by every change. A change that was planned at an older version is refused. */
  version: field.number,
};
export type RollupDocument = DocumentOf<typeof fields>;

export const RollupModel = defineModel({
  name: 'Rollup',
  collection: 'run_tallies',
  fields,
  indexes: [[{ workspaceId: 1, day: 1, flowId: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'sums name no person' },
  },
});

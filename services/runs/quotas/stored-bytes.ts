import type { RollupDocument } from '../../../models/rollup.model.ts';
import { ROLLUP_PENDING, type RunDocument, RunModel } from '../../../models/run.model.ts';
import { findRollups, inputsRollup, removedRollup, resultsRollup } from '../statistics/rollups.ts';
import { liveBytes } from './live-bytes.ts';
import { endBytesOf } from './run-bytes.ts';

const FIELDS = { baseBytes: 1, journalBytes: 1, resultBytes: 1 } as const;

/**
 * Measures the bytes that a workspace's runs take in the database: their inputs, journals, steps and results. Ended runs
 * are read from the rollups, except the few that are not in them yet.
 */
export async function storedBytes(workspaceId: number): Promise<number> {
  // Live runs first: one that ends in between is counted twice rather than not at all.
  const live = await liveBytes(workspaceId);
  // Pending runs next: a run that is added in between is in `applied` by then.
  const [created, ended] = await Promise.all([
    RunModel.find({ [ROLLUP_PENDING.creation]: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
    RunModel.find({ [ROLLUP_PENDING.end]: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
  ]);
  const [inputs, results, removed] = await findRollups(
    inputsRollup(workspaceId),
    resultsRollup(workspaceId),
    removedRollup(workspaceId),
  );
  const bytes =
    live +
    sumOf(inputs, created, ({ baseBytes = 0 }) => baseBytes) +
    sumOf(results, ended, endBytesOf) -
    (removed?.bytes ?? 0);
  return Math.max(bytes, 0);
}

function sumOf(
  rollup: RollupDocument | undefined,
  runs: readonly RunDocument[],
  bytesOf: (run: RunDocument) => number,
): number {
  const applied = new Set(rollup?.applied);
  const pending = runs.filter(({ _id }) => !applied.has(_id));
  return pending.reduce((sum, run) => sum + bytesOf(run), rollup?.bytes ?? 0);
}

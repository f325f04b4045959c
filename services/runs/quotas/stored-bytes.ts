import type { RollupDocument } from '../../../models/rollup.model.ts';
import { ROLLUP_PENDING, type RunDocument, RunModel } from '../../../models/run.model.ts';
import { findRollups, inputsRollup, removedRollup, resultsRollup } from '../statistics/rollups.ts';
import { liveBytes } from './live-bytes.ts';
import { endBytesOf } from './run-bytes.ts';

const FIELDS = { baseBytes: 1, journalBytes: 1, resultBytes: 1 } as const;

/**
 * Measures the bytes that a workspace's runs take in the database: their inputs, journals, steps and results. The
 * rollups give the bytes of ended runs, except the few runs that are not in the rollups yet.
 */
export async function storedBytes(workspaceId: number): Promise<number> {
  // Live runs are read first: a run that ends in between is counted twice rather than never.
  const live = await liveBytes(workspaceId);
  // Pending runs are read before the rollups: a run that is added in between is in `applied` of its rollup.
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

import type { RollupDocument } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { inputsTally, removedTally, resultsTally, talliesOf } from '../statistics/rollups.ts';
import { liveBytes } from './live-bytes.ts';
import { endBytesOf } from './run-bytes.ts';

const FIELDS = { baseBytes: 1, journalBytes: 1, resultBytes: 1 } as const;

/**
 * Bytes that a workspace's runs take in the database: their inputs, journals, steps and results. Ended runs
 * are read from the tallies, except the few that are not in them yet.
 */
export async function storedBytes(workspaceId: number): Promise<number> {
  // Live runs first: one that ends in between is counted twice rather than not at all.
  const live = await liveBytes(workspaceId);
  // Marked runs next: one that is added in between is in `applied` by then.
  const [uncounted, unposted] = await Promise.all([
    RunModel.find({ uncounted: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
    RunModel.find({ unposted: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
  ]);
  const [inputs, results, removed] = await talliesOf(
    inputsTally(workspaceId),
    resultsTally(workspaceId),
    removedTally(workspaceId),
  );
  const bytes =
    live +
    sumOf(inputs, uncounted, ({ baseBytes = 0 }) => baseBytes) +
    sumOf(results, unposted, endBytesOf) -
    (removed?.bytes ?? 0);
  return Math.max(bytes, 0);
}

function sumOf(
  tally: RollupDocument | undefined,
  marked: readonly RunDocument[],
  bytesOf: (run: RunDocument) => number,
): number {
  const applied = new Set(tally?.applied);
  const pending = marked.filter(({ _id }) => !applied.has(_id));
  return pending.reduce((sum, run) => sum + bytesOf(run), tally?.bytes ?? 0);
}

import { type RunDocument, RunModel } from '../../models/run.model.ts';
import type { RunTallyDocument } from '../../models/run-tally.model.ts';
import { endBytesOf } from './run-bytes.ts';
import { createdTally, removedTally, resultsTally, talliesOf } from './tallies.ts';

const FIELDS = { baseBytes: 1, journalBytes: 1, resultBytes: 1 } as const;

/**
 * What a workspace's runs take in the database: of all of them the input, of those that have ended the
 * journal, the steps and the result as well. By its tallies, and the few runs that are not in them yet.
 */
export async function storedBytes(workspaceId: number): Promise<number> {
  // Marked runs first: one that is added in between is in `applied` by then.
  const [uncounted, unposted] = await Promise.all([
    RunModel.find({ uncounted: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
    RunModel.find({ unposted: true, workspaceId }, FIELDS).lean<RunDocument[]>(),
  ]);
  const [created, results, removed] = await talliesOf(
    createdTally(workspaceId),
    resultsTally(workspaceId),
    removedTally(workspaceId),
  );
  const bytes =
    sumOf(created, uncounted, ({ baseBytes = 0 }) => baseBytes) +
    sumOf(results, unposted, endBytesOf) -
    (removed?.bytes ?? 0);
  return Math.max(bytes, 0);
}

function sumOf(
  tally: RunTallyDocument | undefined,
  marked: readonly RunDocument[],
  bytesOf: (run: RunDocument) => number,
): number {
  const applied = new Set(tally?.applied);
  const pending = marked.filter(({ _id }) => !applied.has(_id));
  return pending.reduce((sum, run) => sum + bytesOf(run), tally?.bytes ?? 0);
}

import { type RunDocument, RunModel } from '../../../models/run.model.ts';

/** Bytes of the smallest size class; a smaller journal counts for as many bytes. */
const MIN_BYTES = 1_024;
/** The ratio of the upper bounds of two neighbouring size classes. */
const CLASS_RATIO = 1.25;

/**
 * Computes the approximate bytes of the journals of a workspace's live runs: a journal counts
 * for the upper bound of its size class, a quarter above its own bytes at most where it exceeds `MIN_BYTES`.
 *
 * The runs are counted by size class: the database counts from an index alone, and reads no journal.
 */
export async function liveBytes(workspaceId: number): Promise<number> {
  const live = { live: true, workspaceId } as const;
  const largest = await largestJournal(live);
  let bytes = 0;
  let above = 0;
  // The classes are counted upwards, in sequence: a journal that grows meanwhile is counted twice rather than never.
  for (let upTo = MIN_BYTES; above < largest; upTo = Math.ceil(upTo * CLASS_RATIO)) {
    const journalBytes = { $gt: above, $lte: upTo };
    bytes += upTo * (await RunModel.countDocuments({ ...live, journalBytes }));
    above = upTo;
  }
  return bytes;
}

async function largestJournal(live: { live: true; workspaceId: number }): Promise<number> {
  const run = await RunModel.findOne({ ...live, journalBytes: { $gt: 0 } }, { journalBytes: 1 })
    .sort({ journalBytes: -1 })
    .lean<Pick<RunDocument, '_id' | 'journalBytes'>>();
  return run?.journalBytes ?? 0;
}

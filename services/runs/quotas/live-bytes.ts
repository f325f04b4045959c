import { type RunDocument, RunModel } from '../../../models/run.model.ts';

/** Bytes of the smallest size class: a smaller journal counts as so large. */
const MIN_BYTES = 1_024;
/** The ratio of the upper bounds of two neighbouring size classes. */
const CLASS_RATIO = 1.25;

/**
 * About how many bytes the journals of a workspace's live runs take, at most a quarter more than they do.
 * The runs are counted by size class: the database counts from an index alone, and reads no journal.
 */
export async function liveBytes(workspaceId: number): Promise<number> {
  const live = { live: true, workspaceId } as const;
  const largest = await largestJournal(live);
  let bytes = 0;
  let above = 0;
  // Upwards, one after the other: a journal that grows meanwhile is counted twice rather than not at all.
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

import type { JournalEntry } from '../../../models/journal-entry.ts';
import type { RunDocument } from '../../../models/run.model.ts';

/** About how many bytes a run takes in the database beside its values. Each run counts with them. */
const RUN_BYTES = 1_024;
/** About how many bytes an entry of a journal takes beside its values. Each entry counts with them. */
const ENTRY_BYTES = 256;

const bytesOf = (text: string | null | undefined): number => (text ? Buffer.byteLength(text) : 0);

/** What a run takes from its creation on. */
export const baseBytesOf = (input: string): number => RUN_BYTES + bytesOf(input);

/** What the end of a run adds to it. */
export const resultBytesOf = (output: string | null, error: string | null): number =>
  bytesOf(output) + bytesOf(error);

/** What entries of a journal take, wherever they are kept. */
export function journalBytesOf(entries: readonly JournalEntry[]): number {
  let bytes = 0;
  for (const { key, effect, step } of entries) {
    bytes += ENTRY_BYTES + 2 * key.length + bytesOf(effect?.json);
    bytes += bytesOf(step?.input) + bytesOf(step?.output) + bytesOf(step?.error);
  }
  return bytes;
}

/** The fields of a run that say what it takes; absent in runs that were made before they were kept. */
export type RunBytes = Pick<RunDocument, 'baseBytes' | 'resultBytes' | 'journalBytes'>;

/** What is counted when the run has ended; its `baseBytes` have been before. */
export const endBytesOf = ({ resultBytes = 0, journalBytes = 0 }: RunBytes): number =>
  resultBytes + journalBytes;

export const allBytesOf = (run: RunBytes): number => (run.baseBytes ?? 0) + endBytesOf(run);

/** How many of the run's bytes are in the tallies: none of those that an older version left out. */
export const countedBytesOf = (run: RunDocument): number =>
  (run.baseCounted ? (run.baseBytes ?? 0) : 0) + (run.endCounted ? endBytesOf(run) : 0);

import { exchangeBytes } from '../../../models/exchange.ts';
import type { JournalEntry } from '../../../models/journal-entry.ts';
import type { RunDocument } from '../../../models/run.model.ts';

/** Approximate bytes of a run in the database without its values; added to each run. */
const RUN_BYTES = 1_024;
/** Approximate bytes of a journal entry without its values; added to each entry. */
const ENTRY_BYTES = 256;

const bytesOf = (text: string | null | undefined): number => (text ? Buffer.byteLength(text) : 0);

/** Bytes that a run takes from its creation on. */
export const baseBytesOf = ({
  input,
  configuration,
  execution,
}: Pick<RunDocument, 'input' | 'configuration' | 'execution'>): number =>
  RUN_BYTES +
  bytesOf(input) +
  bytesOf(configuration?.properties) +
  bytesOf(configuration?.pairs) +
  bytesOf(execution?.content);

/** Bytes that the end of a run adds. */
export const resultBytesOf = (output: string | null, error: string | null): number =>
  bytesOf(output) + bytesOf(error);

/** Bytes that entries of a journal take, in the run's document or apart from it. */
export function journalBytesOf(entries: readonly JournalEntry[]): number {
  let bytes = 0;
  for (const { key, effect, step, sentSecrets } of entries) {
    bytes += ENTRY_BYTES + 2 * key.length + bytesOf(effect?.json) + bytesOf(sentSecrets?.sealed);
    bytes += bytesOf(step?.input) + bytesOf(step?.output) + bytesOf(step?.error);
    bytes += exchangeBytes(effect ?? {}) + exchangeBytes(step ?? {});
  }
  return bytes;
}

/** The fields with the bytes of a run. */
export type RunBytes = Pick<RunDocument, 'baseBytes' | 'resultBytes' | 'journalBytes'>;

/** Bytes that are counted at the end of a run; its `baseBytes` are counted at its creation. */
export const endBytesOf = ({ resultBytes = 0, journalBytes = 0 }: RunBytes): number =>
  resultBytes + journalBytes;

export const allBytesOf = (run: RunBytes): number => (run.baseBytes ?? 0) + endBytesOf(run);

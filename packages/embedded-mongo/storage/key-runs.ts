import { compareKeys } from '../query/sort.ts';
import { SortedRuns } from '../query/sorted-runs.ts';

/** Bytes of the rid at the end of a packed entry. */
const RID_BYTES = 6;
/** Bytes that the engine of JavaScript needs for a string beside its characters, and for its place in an array. */
const STRING_BYTES = 32;

/** The entry of an index for one document. */
interface RunEntry {
  key: Buffer;
  rid: number;
}

/**
 * Index entries that are added in any order and taken in the order of their keys, almost: a key that another key begins
 * with may come later. An entry is packed into a string, since a string takes half the memory of a buffer.
 */
export class KeyRuns {
  /** The bytes of memory that the entries take. */
  bytes = 0;
  private readonly runs = new SortedRuns(compareKeys);

  add({ key, rid }: RunEntry): void {
    const suffix = Buffer.allocUnsafe(RID_BYTES);
    suffix.writeUIntBE(rid, 0, RID_BYTES);
    this.runs.add(key.toString('latin1') + suffix.toString('latin1'));
    this.bytes += key.length + RID_BYTES + STRING_BYTES;
  }

  /** Takes the next entry. No entry may be added until all are taken. */
  take(): RunEntry | undefined {
    const packed = this.runs.take();
    if (packed === undefined) {
      this.bytes = 0;
      return undefined;
    }
    const bytes = Buffer.from(packed, 'latin1');
    const end = bytes.length - RID_BYTES;
    return { key: bytes.subarray(0, end), rid: bytes.readUIntBE(end, RID_BYTES) };
  }
}

/** Entries of a sorted run. To sort this many takes a millisecond. */
const RUN_ENTRIES = 2048;
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
  private filling: string[] = [];
  /** The sorted runs, as a heap by their next entries. A run is sorted backwards, so that `pop` takes its next entry. */
  private readonly heap: string[][] = [];

  add({ key, rid }: RunEntry): void {
    const suffix = Buffer.allocUnsafe(RID_BYTES);
    suffix.writeUIntBE(rid, 0, RID_BYTES);
    this.filling.push(key.toString('latin1') + suffix.toString('latin1'));
    this.bytes += key.length + RID_BYTES + STRING_BYTES;
    if (this.filling.length >= RUN_ENTRIES) this.endRun();
  }

  /** Takes the next entry. No entry may be added until all are taken. */
  take(): RunEntry | undefined {
    if (this.filling.length > 0) this.endRun();
    const [run] = this.heap;
    const packed = run?.pop();
    if (packed === undefined) {
      this.bytes = 0;
      return undefined;
    }
    if (run?.length === 0) {
      const last = this.heap.pop() as string[];
      if (last !== run) this.heap[0] = last;
    }
    this.sink();
    const bytes = Buffer.from(packed, 'latin1');
    const end = bytes.length - RID_BYTES;
    return { key: bytes.subarray(0, end), rid: bytes.readUIntBE(end, RID_BYTES) };
  }

  private endRun(): void {
    this.filling.sort().reverse();
    this.heap.push(this.filling);
    this.filling = [];
    this.rise();
  }

  private next(i: number): string {
    return this.heap[i]?.at(-1) as string;
  }

  private swap(i: number, j: number): void {
    const { heap } = this;
    [heap[i], heap[j]] = [heap[j] as string[], heap[i] as string[]];
  }

  private rise(): void {
    for (let i = this.heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (this.next(parent) <= this.next(i)) return;
      this.swap(i, parent);
      i = parent;
    }
  }

  private sink(): void {
    const { length } = this.heap;
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < length && this.next(child) < this.next(least)) least = child;
      if (least === i) return;
      this.swap(i, least);
      i = least;
    }
  }
}

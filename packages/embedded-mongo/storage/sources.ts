import type { Document } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { byKey, compileSortKey, type SortKey } from '../query/sort.ts';
import { SortedRuns } from '../query/sorted-runs.ts';
import type { LiveHeap } from './live-heap.ts';
import { PORTION_MS, Row, type RowSource } from './scan.ts';

/** Bytes of the documents that a sort without an index keeps, as in MongoDB. Beyond it the query fails. */
const MAX_SORT_BYTES = 104_857_600;
/** Rows that a sort reads, drops or returns before it looks at the time. */
const PORTION = 256;
/** Bytes of the documents that a sort keeps before it looks at the memory that is left. */
const SMALL_BYTES = 1_048_576;

interface KeyedRow {
  row: Row;
  key: string;
}

/** Reads all rows, then returns them in order. With a limit only the first rows are kept. */
export class Sorted implements RowSource {
  private readonly source: RowSource;
  private readonly key: SortKey;
  private readonly limit: number;
  private readonly heap: LiveHeap;
  private kept = new SortedRows();
  /** The rows that are kept so far while those beyond the limit are dropped. */
  private cut: SortedRows | undefined;
  private returned = 0;

  constructor(source: RowSource, sort: Document, limit: number, heap: LiveHeap) {
    this.source = source;
    this.key = compileSortKey(sort);
    this.limit = limit;
    this.heap = heap;
  }

  get done(): boolean {
    const isEmpty = this.kept.size === 0 || this.returned >= this.limit;
    return this.source.done && !this.cut && isEmpty;
  }

  pull(limit: number): Row[] {
    const end = performance.now() + PORTION_MS;
    const rows: Row[] = [];
    do {
      if (this.cut) this.keep(this.cut);
      else if (!this.source.done) this.read();
      else for (const row of this.next(Math.min(PORTION, limit - rows.length))) rows.push(row);
    } while (!this.done && rows.length < limit && performance.now() < end);
    return rows;
  }

  /** Whether the sort takes little memory. Such a sort is not refused, however little memory is left. */
  private get isSmall(): boolean {
    const { size, bytes } = this.kept;
    return bytes <= SMALL_BYTES && (size < PORTION || this.limit <= PORTION);
  }

  private read(): void {
    if (!this.isSmall) this.heap.check();
    // A new row, since the old one keeps what was decoded, which takes a kilobyte and more.
    for (const row of this.source.pull(PORTION))
      this.kept.add({ row: new Row(row.rid, row.bytes), key: this.key(row.document) });
    const isTooLarge = this.kept.bytes > MAX_SORT_BYTES;
    if (this.kept.size >= this.limit * 2 + PORTION || (isTooLarge && this.kept.size > this.limit))
      this.cut = new SortedRows();
    else if (isTooLarge) refuseBytes();
  }

  /** Keeps a portion of the rows within the limit. The others are dropped once those are kept. */
  private keep(cut: SortedRows): void {
    for (const row of this.kept.takeSome(Math.min(PORTION, this.limit - cut.size))) cut.add(row);
    if (cut.size < this.limit) return;
    if (cut.bytes > MAX_SORT_BYTES) refuseBytes();
    this.kept = cut;
    this.cut = undefined;
  }

  private next(count: number): Row[] {
    const keyed = this.kept.takeSome(Math.min(count, this.limit - this.returned));
    this.returned += keyed.length;
    return keyed.map(({ row }) => row);
  }
}

const refuseBytes = (): never =>
  fail(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Executor error during find command :: caused by :: Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes`,
  );

/** Rows in the order of their keys, and the bytes of their documents. */
class SortedRows {
  bytes = 0;
  private readonly runs = new SortedRuns<KeyedRow>(byKey);

  get size(): number {
    return this.runs.size;
  }

  add(keyed: KeyedRow): void {
    this.runs.add(keyed);
    this.bytes += keyed.row.bytes.length;
  }

  takeSome(count: number): KeyedRow[] {
    return this.runs.takeSome(count);
  }
}

/** Skips the first `skip` rows and ends after `limit` rows. */
export class Limited implements RowSource {
  private readonly source: RowSource;
  private skip: number;
  private left: number;

  constructor(source: RowSource, skip: number, limit: number) {
    this.source = source;
    this.skip = skip;
    this.left = limit;
  }

  get done(): boolean {
    return this.left <= 0 || this.source.done;
  }

  pull(limit: number): Row[] {
    if (this.skip > 0) {
      this.skip -= this.source.pull(Math.min(this.skip, PORTION)).length;
      if (this.skip > 0) return [];
    }
    const rows = this.source.pull(Math.min(limit, this.left));
    this.left -= rows.length;
    return rows;
  }
}

/** The rows of a source with other documents in place of the stored ones. */
export const shownBy = (view: (document: Document) => Document, source: RowSource): RowSource => ({
  get done() {
    return source.done;
  },
  pull: (limit) => source.pull(limit).map((row) => new Row(row.rid, row.bytes, view(row.document))),
});

/** The rows of a collection that does not exist. */
export const NOTHING: RowSource = { done: true, pull: () => [] };

import type { Document } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileSortKey } from '../query/sort.ts';
import { PORTION_MS, type Row, type RowSource } from './scan.ts';

/** Bytes of the documents that a sort without an index keeps, as in MongoDB. Beyond it the query fails. */
const MAX_SORT_BYTES = 104_857_600;
/** Rows that a sort reads at a time. */
const PORTION = 256;

/** Reads all rows, then returns them in order. With a limit only the first rows are kept. */
export class Sorted implements RowSource {
  done = false;
  private readonly source: RowSource;
  private readonly key: (document: Document) => Buffer;
  private readonly limit: number;
  private rows: { row: Row; key: Buffer }[] = [];
  private bytes = 0;
  private ready = false;
  private at = 0;

  constructor(source: RowSource, sort: Document, limit: number) {
    this.source = source;
    this.key = compileSortKey(sort);
    this.limit = limit;
  }

  pull(limit: number): Row[] {
    const end = performance.now() + PORTION_MS;
    while (!this.ready) {
      for (const row of this.source.pull(PORTION)) this.add(row);
      if (this.source.done) this.finish();
      else if (performance.now() > end) return [];
    }
    const rows = this.rows.slice(this.at, this.at + limit).map(({ row }) => row);
    this.at += rows.length;
    this.done = this.at >= this.rows.length;
    return rows;
  }

  private add(row: Row): void {
    this.rows.push({ row, key: this.key(row.document) });
    this.bytes += row.bytes.length;
    if (this.rows.length >= this.limit * 2 + PORTION) this.cut();
    if (this.bytes > MAX_SORT_BYTES) {
      this.cut();
      if (this.bytes > MAX_SORT_BYTES) {
        fail(
          'QueryExceededMemoryLimitNoDiskUseAllowed',
          `Executor error during find command :: caused by :: Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes`,
        );
      }
    }
  }

  private cut(): void {
    this.rows.sort((a, b) => Buffer.compare(a.key, b.key));
    if (this.rows.length <= this.limit) return;
    this.rows.length = this.limit;
    this.bytes = this.rows.reduce((sum, { row }) => sum + row.bytes.length, 0);
  }

  private finish(): void {
    this.cut();
    this.ready = true;
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

/** The rows of a collection that does not exist. */
export const NOTHING: RowSource = { done: true, pull: () => [] };

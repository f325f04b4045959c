import { StoredDocument } from '../bson/stored.ts';
import type { Document } from '../bson/values.ts';
import type { Entry } from '../query/key-generator.ts';
import type { Predicate } from '../query/match.ts';
import type { Collection } from './catalog.ts';
import { type Connection, type SqlRow, toBuffer } from './connection.ts';
import type { Plan } from './plan.ts';

/** A stored document. Its fields are decoded when they are read. */
export class Row {
  readonly rid: number;
  readonly bytes: Buffer;
  private decoded: Document | undefined;

  constructor(rid: number, bytes: Buffer, decoded?: Document) {
    this.rid = rid;
    this.bytes = bytes;
    this.decoded = decoded;
  }

  get document(): Document {
    this.decoded ??= new StoredDocument(this.bytes);
    return this.decoded;
  }
}

/** A source of rows in portions, so that a long search can yield to other commands in between. */
export interface RowSource {
  /** Returns at most `limit` rows; fewer rows, even none, when the time of a portion is over. */
  pull(limit: number): Row[];
  readonly done: boolean;
}

/** Milliseconds that a portion may take. Then the source returns the rows found so far. */
export const PORTION_MS = 4;
/** Rows of the first page that a scan reads. Each next page is twice as large while its rows are small. */
const FIRST_PAGE = 16;
/** Rows of the first page of an exact plan, all of which are asked for. */
const FIRST_EXACT_PAGE = 32;
/** Rows of the largest page that a scan reads. */
const LARGEST_PAGE = 512;
/** Bytes of the rows of a page. After a larger page, the scan reads fewer rows at a time. */
const PAGE_BYTES = 262_144;

/**
 * Walks a plan's intervals, or the collection, from its last position. Between portions the scan holds no lock, and it
 * may or may not meet documents that others write meanwhile, like MongoDB's own yielding.
 */
export class Scan implements RowSource {
  done = false;
  /** The number of examined keys and documents, for explain. */
  examined = 0;
  private readonly connection: Connection;
  private readonly collection: Collection;
  private readonly plan: Plan;
  private readonly matches: Predicate | undefined;
  private interval = 0;
  private position: { key: Buffer | undefined; row: Row } | undefined;
  private page: number;
  private seen: Set<number> | undefined;

  constructor(connection: Connection, collection: Collection, plan: Plan, matches: Predicate) {
    this.connection = connection;
    this.collection = collection;
    this.plan = plan;
    this.matches = plan.exact ? undefined : matches;
    this.page = plan.exact ? FIRST_EXACT_PAGE : FIRST_PAGE;
    this.done = plan.intervals.length === 0;
    if (plan.backward) this.interval = plan.intervals.length - 1;
  }

  pull(limit: number): Row[] {
    const found: Row[] = [];
    const end = performance.now() + PORTION_MS;
    while (!this.done && found.length < limit) {
      this.take(this.matches ? this.page : Math.min(limit - found.length, this.page), limit, found);
      if (performance.now() > end) break;
    }
    return found;
  }

  /** Reads one page of rows and keeps those that match. */
  private take(size: number, limit: number, found: Row[]): void {
    const rows = this.read(size);
    this.page = nextPage(this.page, rows);
    // The index may have got its first array since the last page.
    if (this.plan.index && this.plan.index.multikey.size > 0) this.seen ??= new Set();
    let read = 0;
    for (const [key, rid, bytes] of rows) {
      read++;
      this.examined++;
      const row = new Row(rid as number, toBuffer(bytes));
      this.position = { key: key === null ? undefined : toBuffer(key), row };
      if (this.seen?.has(row.rid)) continue;
      this.seen?.add(row.rid);
      if (this.matches && !this.matches(row.document)) continue;
      found.push(row);
      if (found.length >= limit) break;
    }
    const isAtEnd = rows.length < size && read === rows.length;
    if (isAtEnd || this.plan.unique) this.nextInterval();
  }

  private nextInterval(): void {
    this.position = undefined;
    this.interval += this.plan.backward ? -1 : 1;
    this.done = this.interval < 0 || this.interval >= this.plan.intervals.length;
  }

  private read(size: number): SqlRow[] {
    const { index, backward, unique } = this.plan;
    const { connection, position } = this;
    if (!index) return this.readCollection(size);
    const interval = this.plan.intervals[this.interval];
    if (!interval) return [];
    const { low, high } = interval;
    // In an index of arrays a document has several keys, so the scan selects the key that it has read.
    const sql = index.multikey.size > 0 ? index.sql.withKeys : index.sql.withoutKeys;
    if (unique) {
      // To get one row costs a fifth of a walk that finds one.
      const row = connection.get(sql.one, low);
      return row ? [row] : [];
    }
    if (!position) return connection.all(backward ? sql.down : sql.up, low, high, size);
    const key = position.key ?? (index.entries(position.row.document)[0] as Entry).key;
    const { rid } = position.row;
    if (backward) return connection.all(sql.downFrom, key, rid, low, size);
    return connection.all(sql.upFrom, key, rid, high, size);
  }

  private readCollection(size: number): SqlRow[] {
    const { sql } = this.collection;
    const rid = this.position?.row.rid;
    if (!this.plan.backward) return this.connection.all(sql.up, rid ?? 0, size);
    return this.connection.all(sql.down, rid ?? Number.MAX_SAFE_INTEGER, size);
  }
}

/** Returns the number of rows of the next page: of large rows a few, since a page is read at once. */
function nextPage(page: number, rows: readonly SqlRow[]): number {
  let bytes = 0;
  for (const [, , document] of rows) bytes += (document as Uint8Array).length;
  if (bytes <= PAGE_BYTES) return Math.min(page * 2, LARGEST_PAGE);
  return Math.max(Math.floor((rows.length * PAGE_BYTES) / bytes), 1);
}

/**
 * Counts the documents of an exact plan up to `limit`, without reading them. The limit must be whole. A limit from
 * `Number.MAX_SAFE_INTEGER` up, which SQLite does not accept, counts as no limit.
 */
export function countExactly(
  connection: Connection,
  collection: Collection,
  plan: Plan,
  limit = Number.POSITIVE_INFINITY,
): number | undefined {
  if (!plan.exact) return undefined;
  const { index } = plan;
  if (!index) return Math.min(Number(connection.get(collection.sql.count)?.[0]), limit);
  let count = 0;
  for (const { low, high } of plan.intervals) {
    const row =
      limit < Number.MAX_SAFE_INTEGER
        ? connection.get(index.sql.countUpTo, low, high, limit - count)
        : connection.get(index.sql.count, low, high);
    count += Number(row?.[0]);
    if (count >= limit) break;
  }
  return count;
}

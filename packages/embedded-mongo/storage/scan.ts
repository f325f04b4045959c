import { StoredDocument } from '../bson/stored.ts';
import type { Document } from '../bson/values.ts';
import type { Predicate } from '../query/match.ts';
import type { Collection } from './catalog.ts';
import { type Connection, type SqlRow, toBuffer } from './connection.ts';
import type { Entry } from './key-generator.ts';
import type { Plan } from './planner.ts';

/** A stored document; its fields are decoded when they are asked for. */
export class Row {
  readonly rid: number;
  readonly bytes: Buffer;
  private decoded: Document | undefined;

  constructor(rid: number, bytes: Buffer) {
    this.rid = rid;
    this.bytes = bytes;
  }

  get document(): Document {
    this.decoded ??= new StoredDocument(this.bytes);
    return this.decoded;
  }
}

/** Gives rows in portions, so that a long search can give way to others in between. */
export interface RowSource {
  /** At most `limit` rows; fewer, even none, when the time for one portion is over. */
  pull(limit: number): Row[];
  readonly done: boolean;
}

/** How long a portion may take, in milliseconds. */
export const PORTION_MS = 4;
const FIRST_PAGE = 16;
const LARGEST_PAGE = 512;

/**
 * Walks a plan's intervals, or the collection, from where it stopped: between portions nothing is
 * held, and what others write meanwhile may or may not be met, as with MongoDB's own yielding.
 */
export class Scan implements RowSource {
  done = false;
  /** How many keys and documents were looked at, for explain. */
  examined = 0;
  private readonly connection: Connection;
  private readonly collection: Collection;
  private readonly plan: Plan;
  private readonly matches: Predicate | undefined;
  private interval = 0;
  private position: { key: Buffer | undefined; row: Row } | undefined;
  private page = FIRST_PAGE;
  private seen: Set<number> | undefined;

  constructor(connection: Connection, collection: Collection, plan: Plan, matches: Predicate) {
    this.connection = connection;
    this.collection = collection;
    this.plan = plan;
    this.matches = plan.exact ? undefined : matches;
    this.done = plan.intervals.length === 0;
    if (plan.backward) this.interval = plan.intervals.length - 1;
  }

  pull(limit: number): Row[] {
    const found: Row[] = [];
    const end = performance.now() + PORTION_MS;
    while (!this.done && found.length < limit) {
      const size = this.matches
        ? Math.max(this.page, 1)
        : Math.min(limit - found.length, LARGEST_PAGE);
      this.page = Math.min(this.page * 2, LARGEST_PAGE);
      this.take(size, limit, found);
      if (performance.now() > end) break;
    }
    return found;
  }

  /** Reads one page of rows and keeps those that match. */
  private take(size: number, limit: number, found: Row[]): void {
    const rows = this.read(size);
    // The index may have met its first array since the last page.
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
    // Where arrays may be met a document has several keys: then its own is the one that was read.
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

/**
 * How many documents an exact plan finds, as far as `limit`, without reading them. A limit is whole;
 * SQLite takes none from `Number.MAX_SAFE_INTEGER` up, where it counts as no limit.
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

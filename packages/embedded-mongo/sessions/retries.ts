import { encodeDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { toBuffer } from '../storage/connection.ts';
import type { OperationContext } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';
import { SESSION_TIMEOUT_MINUTES, type SessionInfo, sessionOf } from './session-info.ts';

/** Milliseconds for which a session's last reply is kept, as in MongoDB. Then the sweep removes it. */
const SESSION_MS = SESSION_TIMEOUT_MINUTES * 60_000;
/** Sessions that are cached in memory. Beyond it the cache is cleared. */
const MANY = 10_000;

/** The kind of a stored reply that has the progress of a command that ended in the middle of its statements. */
export const UNFINISHED = 'unfinished';

/** A write command whose reply is kept. */
interface RetryableWrite {
  readonly name: string;
  readonly body: Document;
  readonly context: OperationContext;
}

interface Remembered {
  number: number;
  /** The name of the answered command, `unfinished`, or `commit` for a committed transaction. */
  kind: string;
  reply: Buffer;
}

/** The replies of retryable writes. A reply is stored in the same commit as the write, so that it survives a restart. */
export class Retries {
  private readonly store: Store;
  private readonly memory = new Map<string, Remembered | undefined>();
  private readonly newest = new Map<string, number>();

  constructor(store: Store) {
    this.store = store;
  }

  /** Finds the reply of an earlier attempt. A number older than the session's last number is refused. */
  find({ session, number }: SessionInfo): Remembered | undefined {
    if (number === undefined) return undefined;
    const known = this.load(session);
    const newest = Math.max(known?.number ?? -1, this.newest.get(session) ?? -1);
    if (number < newest) {
      fail(
        'TransactionTooOld',
        `Cannot start transaction ${number} on session ${session} because a newer transaction ${newest} has already started.`,
      );
    }
    return known?.number === number ? known : undefined;
  }

  /** Tells whether the number is that of a transaction. It can't be the number of a retryable write as well. */
  isTransaction({ session, number }: SessionInfo): boolean {
    if (number === undefined) return false;
    const known = this.load(session);
    return (
      this.newest.get(session) === number || (known?.kind === 'commit' && known.number === number)
    );
  }

  private load(session: string): Remembered | undefined {
    if (this.memory.has(session)) return this.memory.get(session);
    const row = this.store.main.get(
      'SELECT number, kind, reply FROM retries WHERE session = ?',
      Buffer.from(session, 'hex'),
    );
    const known = row && { number: Number(row[0]), kind: String(row[1]), reply: toBuffer(row[2]) };
    if (this.memory.size > MANY) this.memory.clear();
    this.memory.set(session, known);
    return known;
  }

  /** Notes that a transaction has begun. Older numbers of the session are refused from then on. */
  began(session: string, number: number): void {
    if (this.newest.size > MANY) this.newest.clear();
    this.newest.set(session, number);
  }

  /** Stores the reply of a retryable write in the write's own unit. */
  remember(write: RetryableWrite, reply: Document, kind = write.name): void {
    const info = sessionOf(write.body);
    if (!info || info.number === undefined || write.context.transaction) return;
    this.save(write.context, info, kind, encodeDocument(reply));
  }

  save(
    context: OperationContext,
    { session, number = 0 }: SessionInfo,
    kind: string,
    reply: Buffer,
  ): void {
    context.connection.run(
      'INSERT OR REPLACE INTO retries (session, number, kind, reply, at) VALUES (?, ?, ?, ?, ?)',
      Buffer.from(session, 'hex'),
      number,
      kind,
      reply,
      Date.now(),
    );
    this.memory.set(session, { number, kind, reply });
    context.undo.push(() => this.memory.delete(session));
  }

  /** Notes the commit of a transaction that only read. The note is kept in memory only. */
  committed({ session, number = 0 }: SessionInfo): void {
    this.memory.set(session, { number, kind: 'commit', reply: Buffer.alloc(0) });
  }

  sweep(now = Date.now()): void {
    this.store.main.run('DELETE FROM retries WHERE at < ?', now - SESSION_MS);
    this.memory.clear();
  }
}

import { encodeDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import type { Request } from '../commands/request.ts';
import { fail } from '../errors.ts';
import { toBuffer } from '../storage/connection.ts';
import type { OperationContext, Store } from '../storage/store.ts';
import { type SessionInfo, sessionOf } from './session-info.ts';

/** How long MongoDB remembers a session. */
const SESSION_MS = 30 * 60_000;
const MANY = 10_000;

/** The kind of what says how far a command has come, where it ended in the midst of its statements. */
export const UNFINISHED = 'unfinished';

interface Remembered {
  number: number;
  /** The command whose reply it is, `unfinished`, or `commit` for a transaction that was committed. */
  kind: string;
  reply: Buffer;
}

/** What retryable writes were answered: it is written with the write, and so survives a restart. */
export class Retries {
  private readonly store: Store;
  private readonly memory = new Map<string, Remembered | undefined>();
  private readonly newest = new Map<string, number>();

  constructor(store: Store) {
    this.store = store;
  }

  /** The reply of an earlier attempt; a number that is older than the session's last is refused. */
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

  /** Notes that a transaction has begun: older numbers are over. */
  began(session: string, number: number): void {
    if (this.newest.size > MANY) this.newest.clear();
    this.newest.set(session, number);
  }

  /** Writes down what a retryable write is answered, within its own unit. */
  remember(request: Request, reply: Document, kind = request.name): void {
    const info = sessionOf(request.body);
    if (!info || info.number === undefined || request.context.transaction) return;
    this.save(request.context, info, kind, encodeDocument(reply));
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

  /** A transaction that only read was committed: nothing has to survive. */
  committed({ session, number = 0 }: SessionInfo): void {
    this.memory.set(session, { number, kind: 'commit', reply: Buffer.alloc(0) });
  }

  sweep(now = Date.now()): void {
    this.store.main.run('DELETE FROM retries WHERE at < ?', now - SESSION_MS);
    this.memory.clear();
  }
}

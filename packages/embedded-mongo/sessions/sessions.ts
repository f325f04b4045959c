import { isDocument, type Value } from '../bson/values.ts';
import { fail, MongoError, noSuchTransaction, shutdownInProgress, timeExpired } from '../errors.ts';
import { writeConflict } from '../storage/connection.ts';
import { type OperationContext, rollBackMemory } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';
import type { Cursors } from './cursors.ts';
import { Retries } from './retries.ts';
import { keyOfSession, type SessionInfo } from './session-info.ts';
import { Transaction } from './transaction.ts';
import { WriteLock } from './write-lock.ts';

/** Milliseconds of a transaction's life, MongoDB's transactionLifetimeLimitSeconds. A longer transaction is aborted. */
const LIFETIME_MS = 60_000;

/** The limits of a portion of long work. */
interface Limits {
  /** The end of the command's `maxTimeMS`, in milliseconds of `performance.now()`. */
  deadline?: number;
  /** Whether the portion is on the disk when it ends. */
  durable?: boolean;
}

/** Sessions and their transactions. */
export class Sessions {
  private readonly store: Store;
  private readonly cursors: Cursors;
  readonly lock = new WriteLock();
  readonly retries: Retries;
  /** Whether the server stops. Commands that take long end with it. */
  private isStopping = false;
  private readonly transactions = new Map<string, Transaction>();
  /** The transactions that failed by a write conflict. Their next attempt reserves the lock before it reads. */
  private readonly unlucky = new Map<string, number>();

  constructor(store: Store, cursors: Cursors) {
    this.store = store;
    this.retries = new Retries(store);
    this.cursors = cursors;
  }

  /**
   * Returns the transaction of a command with `autocommit: false`, and begins it if the command starts it. The command
   * uses the transaction alone until `leave`.
   */
  async enter(
    info: SessionInfo,
    { starting, writes }: { starting: boolean; writes: boolean },
    deadline: number,
  ): Promise<Transaction> {
    const { session, number = 0 } = info;
    const earlier = this.retries.find(info);
    let transaction = this.transactions.get(session);
    if (starting) {
      if (earlier || this.retries.isTransaction(info)) {
        fail(
          'ConflictingOperationInProgress',
          `Transaction ${number} has already been started on this session`,
        );
      }
      if (transaction) this.abort(transaction);
      transaction = this.create(session, number);
    }
    if (transaction?.number !== number) throw noSuchTransaction(number);
    await transaction.enter();
    try {
      this.checkAlive(transaction);
      if (starting) await this.begin(transaction, deadline);
      if (writes) await this.takeLock(transaction, deadline);
      return transaction;
    } catch (error) {
      this.leave(transaction);
      throw error;
    }
  }

  /** Ends a command's use of the transaction. An aborted transaction is rolled back here, after its last command. */
  leave(transaction: Transaction): void {
    transaction.leave();
    if (transaction.over && !transaction.busy) this.end(transaction);
  }

  private checkAlive(transaction: Transaction): void {
    if (transaction.over || transaction.doomed) throw noSuchTransaction(transaction.number);
  }

  private create(session: string, number: number): Transaction {
    const transaction = new Transaction(session, number, {
      connection: this.store.borrow(),
      heap: this.store.heap,
      transaction: undefined,
      undo: [],
    });
    transaction.timer = setTimeout(() => this.abort(transaction), LIFETIME_MS).unref();
    this.transactions.set(session, transaction);
    this.retries.began(session, number);
    return transaction;
  }

  /**
   * Takes the snapshot. A transaction that repeats a failed one first waits a short time for the lock and reserves it;
   * if another transaction holds the lock for longer, the transaction begins without the lock.
   */
  private async begin(transaction: Transaction, deadline: number): Promise<void> {
    try {
      if (this.isNextAttempt(transaction)) {
        const free = await this.lock.freeSoon(deadline);
        this.checkAlive(transaction);
        if (free) this.lock.reserve(transaction);
      }
      this.takeSnapshot(transaction);
    } catch (error) {
      throw this.failed(transaction, error);
    }
  }

  private isNextAttempt({ session, number }: Transaction): boolean {
    const failed = this.unlucky.get(session);
    this.unlucky.delete(session);
    return failed !== undefined && failed + 1 === number;
  }

  private takeSnapshot(transaction: Transaction): void {
    const { connection } = transaction.context;
    connection.exec('BEGIN');
    // SQLite takes the transaction's snapshot at the first read.
    connection.get('SELECT count(*) FROM collections');
    transaction.began = this.store.changes.now;
  }

  /**
   * Takes the write lock. It waits for the unit of a command, but not for another transaction, which may never end.
   * SQLite lets only the newest snapshot write: when others have written nothing that this transaction has read, the
   * transaction takes a new snapshot, which shows the same.
   */
  private async takeLock(transaction: Transaction, deadline: number): Promise<void> {
    const { lock } = this;
    if (lock.owner === transaction) {
      lock.take(transaction);
      return;
    }
    try {
      while (lock.owner !== undefined) {
        if (lock.owner instanceof Transaction && !lock.reserved) throw writeConflict();
        await lock.free(deadline);
        this.checkAlive(transaction);
      }
      const { context, began } = transaction;
      if (this.store.changes.since(began, context.read ?? [])) throw writeConflict();
      context.connection.rollback();
      this.takeSnapshot(transaction);
    } catch (error) {
      throw this.failed(transaction, error);
    }
    lock.take(transaction);
  }

  /** Ends a transaction after an error. A label of the error tells the client whether it may repeat the transaction. */
  failed(transaction: Transaction, error: unknown): unknown {
    if (error instanceof MongoError && TRANSIENT.has(error.codeName)) {
      error.labelled('TransientTransactionError');
      if (this.unlucky.size > 1000) this.unlucky.clear();
      if (error.codeName === 'WriteConflict')
        this.unlucky.set(transaction.session, transaction.number);
    }
    this.abort(transaction);
    return error;
  }

  doom(context: OperationContext): void {
    (context.transaction as Transaction).doomed = true;
  }

  async commit(info: SessionInfo, durable: boolean): Promise<void> {
    const transaction = this.transactions.get(info.session);
    if (!transaction || transaction.number !== info.number) return this.committedBefore(info);
    await transaction.enter();
    try {
      if (transaction.over) this.committedBefore(info);
      else this.commitNow(transaction, info, durable);
    } finally {
      this.leave(transaction);
    }
  }

  private committedBefore(info: SessionInfo): void {
    if (this.retries.find(info)?.kind !== 'commit') throw noSuchTransaction(info.number ?? 0);
  }

  private commitNow(transaction: Transaction, info: SessionInfo, durable: boolean): void {
    const { context } = transaction;
    const wrote = this.lock.owner === transaction;
    try {
      this.checkAlive(transaction);
      if (wrote) this.retries.save(context, info, 'commit', Buffer.alloc(0));
      else this.retries.committed(info);
      context.connection.commit();
    } catch (error) {
      this.abort(transaction);
      throw error;
    }
    context.undo.length = 0;
    for (const collection of this.store.collections(context)) {
      if (collection.owner === transaction) collection.owner = undefined;
    }
    this.abort(transaction);
    // Flushing the log makes this commit and all commits before it durable.
    if (durable && wrote) this.flush(transaction);
  }

  private flush(transaction: Transaction): void {
    this.lock.release(transaction);
    this.store.write(this.store.context(), true, () => {
      this.store.main.run(
        'UPDATE retries SET at = at WHERE session = (SELECT session FROM retries LIMIT 1)',
      );
    });
  }

  /** Aborts a transaction. It is rolled back as soon as none of its statements runs. */
  abort(transaction: Transaction): void {
    if (transaction.over) return;
    transaction.over = true;
    clearTimeout(transaction.timer);
    this.transactions.delete(transaction.session);
    this.cursors.endTransaction(transaction);
    if (!transaction.busy) this.end(transaction);
  }

  abortOf(info: SessionInfo): void {
    const transaction = this.transactions.get(info.session);
    if (!transaction || transaction.number !== info.number) {
      throw noSuchTransaction(info.number ?? 0);
    }
    this.abort(transaction);
  }

  /** Rolls back the rest of a transaction (nothing after a commit) and releases its connection and the lock. */
  private end(transaction: Transaction): void {
    transaction.context.connection.rollback();
    rollBackMemory(transaction.context);
    this.store.giveBack(transaction.context.connection);
    this.lock.release(transaction);
  }

  endSessions(ids: readonly Value[]): void {
    for (const id of ids) {
      const session = isDocument(id) ? keyOfSession(id) : undefined;
      if (session === undefined) continue;
      this.unlucky.delete(session);
      const transaction = this.transactions.get(session);
      if (transaction) this.abort(transaction);
    }
  }

  /**
   * Runs a portion of long work as a unit of its own, once nobody else writes. It waits for as long as transactions last,
   * since the whole work would be lost by an error. Throws at the deadline, and when the server stops.
   */
  async portion<T>(context: OperationContext, work: () => T, limits: Limits = {}): Promise<T> {
    const { deadline = Number.POSITIVE_INFINITY, durable = false } = limits;
    while (this.lock.owner !== undefined) {
      if (performance.now() >= deadline) throw timeExpired();
      await this.lock.freeSoon(deadline);
    }
    if (this.isStopping) throw shutdownInProgress();
    return this.store.main.inPortion(() => this.store.write(context, durable, work));
  }

  close(): void {
    this.isStopping = true;
    for (const transaction of [...this.transactions.values()]) this.abort(transaction);
  }
}

const TRANSIENT = new Set([
  'WriteConflict',
  'SnapshotUnavailable',
  'NoSuchTransaction',
  'LockTimeout',
]);

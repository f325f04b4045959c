import type { Connection } from '../storage/connection.ts';
import type { WriteLock } from './write-lock.ts';

interface Group {
  durable: boolean;
  committed: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  undo: (() => void)[];
}

/**
 * Commits the writes of one turn of the event loop together, in one SQLite transaction. No answer is sent before the
 * commit. This includes the answers of reads, because reads may see writes that are not committed yet.
 */
export class GroupCommit {
  private readonly connection: Connection;
  private readonly lock: WriteLock;
  private group: Group | undefined;

  constructor(connection: Connection, lock: WriteLock) {
    this.connection = connection;
    this.lock = lock;
  }

  /** Tells whether a unit may join or open a group now. A durable unit joins only a durable group. */
  accepts(durable: boolean): boolean {
    if (this.group) return this.group.durable || !durable;
    return this.lock.owner === undefined;
  }

  /** Joins the open group or opens a group. `accepts` must be true. */
  enter(durable: boolean): void {
    if (this.group) return;
    this.connection.begin(durable);
    this.lock.take(this);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    this.group = { durable, committed: promise, resolve, reject, undo: [] };
    setImmediate(() => this.flush());
  }

  /** Ends a unit. The functions that undo its changes in memory are kept until the commit. */
  leave(undo: (() => void)[]): void {
    for (const one of undo) this.group?.undo.push(one);
    undo.length = 0;
  }

  /** The commit for which answers must wait. */
  get pending(): Promise<void> | undefined {
    return this.group?.committed;
  }

  /** Commits the group. All units of the group have ended by then, because no unit waits for anything outside. */
  flush(): void {
    const { group } = this;
    if (!group) return;
    try {
      this.connection.commit();
    } catch (error) {
      this.fail(error);
      return;
    }
    this.end();
    group.resolve();
  }

  /** Rolls the whole group back, because the file could not be written. */
  fail(error: unknown): void {
    const { group } = this;
    if (!group) return;
    this.connection.rollback();
    for (const undo of group.undo.reverse()) undo();
    this.end();
    group.reject(error);
  }

  private end(): void {
    this.group = undefined;
    this.lock.release(this);
  }
}

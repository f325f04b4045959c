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
 * Writes that arrive together are committed together: one SQLite transaction for all that the event
 * loop finds on its connections in one turn. No answer leaves before the commit, the answers of
 * reads among them not, since they may have seen what is not committed yet.
 */
export class GroupCommit {
  private readonly connection: Connection;
  private readonly lock: WriteLock;
  private group: Group | undefined;

  constructor(connection: Connection, lock: WriteLock) {
    this.connection = connection;
    this.lock = lock;
  }

  /** Whether a unit may join or open a group at once; a durable one joins none that isn't. */
  accepts(durable: boolean): boolean {
    if (this.group) return this.group.durable || !durable;
    return this.lock.owner === undefined;
  }

  /** Joins the open group or opens one; only where it `accepts`. */
  enter(durable: boolean): void {
    if (this.group) return;
    this.connection.begin(durable);
    this.lock.take(this);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    this.group = { durable, committed: promise, resolve, reject, undo: [] };
    setImmediate(() => this.flush());
  }

  /** Ends a unit: what takes back its changes in memory is kept until the commit. */
  leave(undo: (() => void)[]): void {
    this.group?.undo.push(...undo);
    undo.length = 0;
  }

  /** The commit that answers have to wait for. */
  get pending(): Promise<void> | undefined {
    return this.group?.committed;
  }

  /** Happens when all units of the group have ended: none of them waits for anything outside. */
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

  /** The file could not be written: nothing of the group has happened. */
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

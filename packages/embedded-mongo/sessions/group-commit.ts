import type { Connection } from '../storage/connection.ts';
import { type OperationContext, rollBackMemory } from '../storage/context.ts';
import type { WriteLock } from './write-lock.ts';

interface Group {
  durable: boolean;
  committed: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  /** Undo the changes in memory of all units, in the order in which the units made them. */
  undo: (() => void)[];
  hasFailed: boolean;
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
    const { group } = this;
    if (group) return !group.hasFailed && (group.durable || !durable);
    return this.lock.owner === undefined;
  }

  /** Joins the open group or opens a group. `accepts` must be true. The group keeps what undoes the unit's changes. */
  enter(durable: boolean, context: OperationContext): void {
    this.group ??= this.begin(durable);
    context.undo = this.group.undo;
  }

  private begin(durable: boolean): Group {
    this.connection.begin(durable);
    this.lock.take(this);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    setImmediate(() => this.flush());
    return { durable, committed: promise, resolve, reject, undo: [], hasFailed: false };
  }

  /** The commit for which answers must wait. */
  get pending(): Promise<void> | undefined {
    return this.group?.committed;
  }

  /** Ends the group. All units of the group have ended by then, because no unit waits for anything outside. */
  flush(): void {
    const { group } = this;
    if (!group) return;
    try {
      if (!group.hasFailed) this.connection.commit();
    } catch (error) {
      this.fail(error);
    }
    const { failure } = this.connection;
    this.connection.failure = undefined;
    this.group = undefined;
    this.lock.release(this);
    if (group.hasFailed) {
      rollBackMemory(group);
      group.reject(failure);
    } else group.resolve();
  }

  /**
   * Rolls the whole group back, because the file could not be written. Units that are not over yet cannot write any more;
   * the group lasts until its flush, so that each of them is answered with the error.
   */
  fail(error: unknown): void {
    const { group } = this;
    if (!group || group.hasFailed) return;
    group.hasFailed = true;
    this.connection.rollback();
    this.connection.failure = error;
    rollBackMemory(group);
  }
}

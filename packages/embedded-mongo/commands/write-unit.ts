import { isMissingTable, isSqliteError } from '../storage/connection.ts';
import { rollBackMemory } from '../storage/context.ts';
import { PORTION_MS } from '../storage/scan.ts';
import type { EngineParts, Request } from './request.ts';

/**
 * The units in which a command writes. A long command ends a unit, yields to other commands and begins the next unit,
 * as MongoDB does: only the change of one document is always atomic.
 *
 * A shared unit is committed together with units of other commands. Each of its statements is atomic, so that earlier
 * statements stay after an error, as in MongoDB. A unit `alone` is rolled back by any error.
 */
export class WriteUnit {
  private readonly request: Request;
  private readonly engine: EngineParts;
  private readonly alone: boolean;
  /** Called before a unit is committed in the middle of a command, to store the command's progress. */
  progress: (() => void) | undefined;
  private open = false;
  private joined: Promise<void> | undefined;
  /** When the command should pause, in milliseconds of `performance.now()`. */
  private end = performance.now() + PORTION_MS;

  constructor(request: Request, alone = false) {
    this.request = request;
    this.engine = request.engine;
    this.alone = alone;
  }

  /** Begins a unit unless a unit is open. It must be called directly before reading the documents to change. */
  async begin(): Promise<void> {
    if (this.open || this.request.context.transaction) return;
    const { sessions, group, store } = this.engine;
    const { lock } = sessions;
    if (this.alone) {
      while (lock.owner !== undefined) await lock.free(this.request.deadline);
      store.main.begin(this.request.durable);
      lock.take(this);
    } else {
      while (!group.accepts(this.request.durable)) await lock.free(this.request.deadline);
      group.enter(this.request.durable, this.request.context);
      this.joined = group.pending;
    }
    this.open = true;
    this.end = performance.now() + PORTION_MS;
  }

  /** Whether the time of a portion is over, so that the command should pause. */
  get isDue(): boolean {
    return performance.now() >= this.end;
  }

  async pause(): Promise<void> {
    const start = performance.now();
    this.progress?.();
    const noteMs = performance.now() - start;
    this.commit();
    await this.request.rest();
    // The group is committed or has failed. If it has failed, the command fails here.
    await this.joined;
    await this.begin();
    // A note of progress may be large, so that its time bounds how often it is written.
    this.end = performance.now() + Math.max(PORTION_MS, noteMs);
  }

  commit(): void {
    if (!this.open) return;
    if (this.alone) {
      this.engine.store.main.commit();
      this.request.context.undo.length = 0;
      this.engine.sessions.lock.release(this);
      this.engine.leftovers.start();
    }
    this.open = false;
  }

  rollback(error: unknown): void {
    if (!this.open) return;
    this.open = false;
    if (this.alone) {
      this.engine.store.main.rollback();
      rollBackMemory(this.request.context);
      this.engine.sessions.lock.release(this);
      return;
    }
    const { halfway } = this.request.context;
    // A half-written document or an error of SQLite fails the whole group; other errors fail only this command.
    if (halfway || (isSqliteError(error) && !isMissingTable(error))) this.engine.group.fail(error);
  }
}

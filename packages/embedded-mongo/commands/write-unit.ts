import type { Engine } from '../server/engine.ts';
import { isMissingTable, isSqliteError } from '../storage/connection.ts';
import { rollBackMemory } from '../storage/store.ts';
import type { Request } from './request.ts';

/**
 * The units in which a command writes. A command that takes long ends one unit, lets others have
 * their turn and begins another, as MongoDB does: only one document is always changed whole.
 *
 * A shared unit is committed together with others. Its statements are whole each, so that what was
 * done before an error stays, as in MongoDB. A unit `alone` is taken back by any error.
 */
export class WriteUnit {
  private readonly request: Request;
  private readonly engine: Engine;
  private readonly alone: boolean;
  /** Called before a unit is committed in the midst of a command: how far that has come. */
  progress: (() => void) | undefined;
  private open = false;
  private joined: Promise<void> | undefined;

  constructor(request: Request, alone = false) {
    this.request = request;
    this.engine = request.engine;
    this.alone = alone;
  }

  /** Begins a unit unless one is open. Call it right before reading what is to be changed. */
  async begin(): Promise<void> {
    if (this.open || this.request.context.transaction) return;
    const { sessions, group, store } = this.engine;
    const { lock } = sessions;
    if (this.alone) {
      while (lock.owner !== undefined) await lock.free();
      store.main.begin(this.request.durable);
      lock.take(this);
    } else {
      while (!group.accepts(this.request.durable)) await lock.free();
      group.enter(this.request.durable);
      this.joined = group.pending;
    }
    this.open = true;
  }

  /** Throws where the group that this unit is part of has failed: nothing may be written outside of one. */
  async check(): Promise<void> {
    if (this.open && !this.alone && this.joined !== this.engine.group.pending) await this.joined;
  }

  async pause(): Promise<void> {
    this.progress?.();
    this.commit();
    await this.request.rest();
    // The group is committed by now, or has failed, and this command with it.
    await this.joined;
    await this.begin();
  }

  commit(): void {
    if (!this.open) return;
    const { undo } = this.request.context;
    if (this.alone) {
      this.engine.store.main.commit();
      undo.length = 0;
      this.engine.sessions.lock.release(this);
    } else this.engine.group.leave(undo);
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
    const { undo, halfway } = this.request.context;
    this.engine.group.leave(undo);
    // What isn't whole takes the others' writes with it; an error of one client's making doesn't.
    if (halfway || (isSqliteError(error) && !isMissingTable(error))) this.engine.group.fail(error);
  }
}

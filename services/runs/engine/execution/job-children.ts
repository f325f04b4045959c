import type { RunEffect } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import { type ChildRun, findChild } from '../children/child-runs.ts';
import type { ParentRun } from '../children/child-starter.ts';
import type { EndedChildren } from '../children/ended-children.ts';
import type { LeasedRun } from '../lease/leased-run.ts';
import type { TurnWait } from './effects/turn-wait.ts';

/** Starts and cancels child runs. */
export interface ChildrenCalls {
  start: (parent: ParentRun, key: string, effect: RunEffect) => Promise<ChildRun>;
  cancel: (child: Pick<RunDocument, '_id' | 'workspaceId'>) => Promise<void>;
  /** Finds the live child runs of a run but those whose topics are awaited. */
  findAbandoned: (runId: number, awaited: readonly string[]) => Promise<Pick<RunDocument, '_id'>[]>;
  onError: (error: unknown) => void;
}

/** Starts a child run in its turn. Returns null, without the start, when the wait for the turn ends before. */
export type StartInTurn = (
  wait: TurnWait,
  start: () => Promise<ChildRun>,
) => Promise<ChildRun | null>;

/** The child runs of a run that this process executes. */
export class JobChildren {
  readonly #run: LeasedRun;
  readonly #calls: ChildrenCalls;
  readonly #startInTurn: StartInTurn;
  /** The child runs whose ends this process has passed on. */
  readonly #ended: EndedChildren;
  /** The ids of the child runs that tasks wait for, by the keys of the tasks; null without a child run. */
  readonly #awaited = new Map<string, Promise<number | null>>();

  constructor(
    run: LeasedRun,
    calls: ChildrenCalls,
    startInTurn: StartInTurn,
    ended: EndedChildren,
  ) {
    this.#run = run;
    this.#calls = calls;
    this.#startInTurn = startInTurn;
    this.#ended = ended;
  }

  /**
   * Finds the child run of a task, or starts it before the deadline; null after the deadline without a child run. The task
   * waits for the child run until `endWait`. Throws a `FlowError` for a start that is refused, and starts nothing for a
   * branch that has ended.
   */
  async findOrStart(key: string, effect: RunEffect, wait: TurnWait): Promise<ChildRun | null> {
    wait.signal.throwIfAborted();
    const child = this.#findOrStart(key, effect, wait).then((found) => this.#latestOf(key, found));
    const id = child.then(
      (found) => found?._id ?? null,
      () => {
        this.#awaited.delete(key);
        return null;
      },
    );
    this.#awaited.set(key, id);
    return child;
  }

  async #findOrStart(key: string, effect: RunEffect, wait: TurnWait): Promise<ChildRun | null> {
    const { doc, family } = this.#run;
    const ended = this.#ended.take(key);
    if (ended) return ended;
    if (doc.hasChildren && family.mayHave(key)) {
      const child = await findChild({ runId: doc._id, key });
      if (child) return child;
    }
    while (databaseClock.now() < wait.deadline) {
      await this.#run.markParent();
      const child = await this.#startInTurn(wait, () =>
        family.noteStart(key, () => this.#calls.start(doc, key, effect)),
      );
      if (child) return child;
      wait.signal.throwIfAborted();
    }
    return null;
  }

  /** The child run as it was read, or with the end that it has come to meanwhile. */
  #latestOf(key: string, read: ChildRun | null): ChildRun | null {
    const child = read?.live ? (this.#ended.take(key) ?? read) : read;
    return child && !child.live ? this.#run.family.noteEnd(key, child) : child;
  }

  /**
   * Cancels the child runs for which the tasks that `isEnded` names still wait: tasks that have timed out, or that another
   * branch has ended. `flush` makes that end durable first: a replay without it may wait for the child runs again.
   */
  cancelAwaited(isEnded: (key: string) => boolean, flush: () => Promise<void>): void {
    const awaited = [...this.#awaited].filter(([key]) => isEnded(key));
    if (awaited.length === 0) return;
    for (const [key] of awaited) this.#awaited.delete(key);
    const cancelAll = () => {
      for (const [, id] of awaited) this.#cancelStarted(id).catch(this.#calls.onError);
    };
    // The journal throws the error of a failed write again; an end that is not durable cancels nothing.
    flush().then(cancelAll, () => undefined);
  }

  async #cancelStarted(id: Promise<number | null>): Promise<void> {
    const _id = await id;
    if (_id !== null) await this.#calls.cancel({ _id, workspaceId: this.#run.doc.workspaceId });
  }

  /** Ends the wait of a task for its child run. */
  endWait(key: string): void {
    this.#awaited.delete(key);
  }
}

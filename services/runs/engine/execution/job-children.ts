import type { RunEffect } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import { type ChildRun, findChild } from '../children/child-runs.ts';
import type { ParentRun } from '../children/child-starter.ts';
import { type LeasedRun, LeaseLostError } from '../lease/leased-run.ts';

/** Starts and cancels child runs. */
export interface ChildrenCalls {
  start: (parent: ParentRun, key: string, effect: RunEffect) => Promise<ChildRun>;
  cancel: (child: Pick<RunDocument, '_id' | 'workspaceId'>) => Promise<void>;
  /** Finds the live child runs of a run but those whose topics are awaited. */
  findAbandoned: (runId: number, awaited: readonly string[]) => Promise<Pick<RunDocument, '_id'>[]>;
  onError: (error: unknown) => void;
}

/** The child runs of a run that this process executes. */
export class JobChildren {
  readonly #run: LeasedRun;
  readonly #calls: ChildrenCalls;
  /** The functions that end the watch for an abort, by the id of the child run. */
  readonly #watches = new Map<number, () => void>();

  constructor(run: LeasedRun, calls: ChildrenCalls) {
    this.#run = run;
    this.#calls = calls;
  }

  /**
   * Finds the child run of a task, or starts it before the deadline; null after the deadline without a child run. Throws a
   * `FlowError` for a start that is refused.
   */
  async findOrStart(key: string, effect: RunEffect, deadline: number): Promise<ChildRun | null> {
    const { doc } = this.#run;
    if (doc.hasChildren) {
      const child = await findChild({ runId: doc._id, key });
      if (child) return child;
    }
    if (databaseClock.now() >= deadline) return null;
    await this.#run.markParent();
    return this.#calls.start(doc, key, effect);
  }

  /** Cancels a child run. Throws `LeaseLostError` where another worker holds the run, and may wait for the child run. */
  async cancel({ _id }: Pick<ChildRun, '_id'>): Promise<void> {
    await this.#run.confirmLease();
    await this.#calls.cancel({ _id, workspaceId: this.#run.doc.workspaceId });
  }

  /** Cancels the child run when another branch, or the end of the run, ends the branch that waits for it. */
  cancelOnAbort(child: Pick<ChildRun, '_id'>, signal: AbortSignal): void {
    if (this.#watches.has(child._id)) return;
    const cancel = () => {
      if (signal.reason !== 'cancelled') return;
      this.cancel(child).catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) this.#calls.onError(error);
      });
    };
    this.#watches.set(child._id, () => signal.removeEventListener('abort', cancel));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  }

  /** Ends the watch of a child run for which the run waits no more. */
  endWatch({ _id }: Pick<ChildRun, '_id'>): void {
    this.#watches.get(_id)?.();
    this.#watches.delete(_id);
  }
}

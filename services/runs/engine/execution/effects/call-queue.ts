import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import { FairQueue } from '../../../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../../../support/fair-shares/share.ts';
import { MAX_TIMER_MS } from '../deadline-timer.ts';

/**
 * Calls of all runs of this process under way at once; further calls wait for their turn. The bound keeps the
 * connections of calls far below the limit of file descriptors, and the answers that calls receive below
 * 256 × `MAX_OUTPUT_BYTES`, which is 128 MiB.
 */
const MAX_CALLS = 256;
/** Calls of one run under way at once; further calls of the run wait. Three such runs take one owner's part. */
const MAX_RUN_CALLS = 64;

/** A call did not get its turn: its time has ended, or its run was interrupted. */
class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

const queueOf = (concurrency: number, isDivided = false): FairQueue =>
  new FairQueue({ concurrency, isDivided, refusal: () => new NoTurnError() });

/** Waits for work outside this process, and then for the slot of the run. */
type WaitFor = <T>(work: () => Promise<T>) => Promise<T>;

/** The limits of a call that waits for its turn. */
export interface CallWait {
  /** Milliseconds since the epoch at which the call stops waiting. */
  deadline: number;
  /** Aborted when the run is interrupted: the call stops waiting. */
  signal: AbortSignal;
}

/**
 * The turns of the calls to other systems in this process. Owners take turns, then the workspaces of an owner. Calls of
 * one owner leave room for the calls of others, however long they take.
 */
export class CallQueue {
  readonly #calls = queueOf(MAX_CALLS, true);

  /** Makes the turns of one run's calls. */
  forRun(share: Share, slot: { waitFor: WaitFor }): RunCalls {
    return new RunCalls(share, slot, this.#calls);
  }
}

/** The turns of one run's calls. */
export class RunCalls {
  readonly #share: Share;
  readonly #slot: { waitFor: WaitFor };
  readonly #ofProcess: FairQueue;
  readonly #ofRun = queueOf(MAX_RUN_CALLS);

  constructor(share: Share, slot: { waitFor: WaitFor }, ofProcess: FairQueue) {
    this.#share = share;
    this.#slot = slot;
    this.#ofProcess = ofProcess;
  }

  /** Makes a call in its turn. Returns null, without the call, when the deadline comes or the signal is aborted before. */
  async run<T>({ deadline, signal }: CallWait, call: () => Promise<T>): Promise<T | null> {
    const wait = new AbortController();
    const giveUp = () => wait.abort('over'); // without a reason, each abort would create an error and its stack
    const leftMs = deadline - databaseClock.now();
    const timer = setTimeout(giveUp, Math.min(leftMs, MAX_TIMER_MS));
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    const endWait = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    try {
      return await this.#inTurn(wait.signal, () => {
        endWait();
        return call();
      });
    } catch (error) {
      if (error instanceof NoTurnError) return null;
      throw error;
    } finally {
      endWait();
    }
  }

  /**
   * A call keeps its turn among the calls of its run until the run has a slot, so that few answers wait for the run. It
   * gives its turn in the process back before: runs that have slots may wait for that turn.
   */
  #inTurn<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const share = this.#share;
    const inProcess = () => this.#ofProcess.run(share, call, undefined, signal);
    return this.#ofRun.run(share, () => this.#slot.waitFor(inProcess), undefined, signal);
  }
}

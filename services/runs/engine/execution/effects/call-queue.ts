import { FairQueue } from '../../../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../../../support/fair-shares/share.ts';
import { runInTurn, type TurnWait } from './turn-wait.ts';

/**
 * Calls of all runs of this process under way at once; further calls wait for their turn. The bound keeps the
 * connections of calls far below the limit of file descriptors, and the answers that calls receive below
 * 256 × `MAX_OUTPUT_BYTES`, which is 128 MiB.
 */
const MAX_CALLS = 256;
/** Calls of one run under way at once; further calls of the run wait. Three such runs take one owner's part. */
const MAX_RUN_CALLS = 64;

/**
 * Calls that only owners without a call under way get. An owner with calls under way waits while no more are free, so that
 * it takes as many owners with long calls to fill the process.
 */
const CALLS_OF_NEW_OWNERS = 32;

const refusal = () => new Error('a call did not get its turn');

/** Waits for work outside this process, and then for the slot of the run. */
type WaitFor = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The turns of the calls to other systems in this process. Owners take turns, then the workspaces of an owner. Calls of
 * one owner leave room for the calls of others, however long they take.
 */
export class CallQueue {
  readonly #calls = new FairQueue({
    concurrency: MAX_CALLS,
    isDivided: true,
    reservedForNewOwners: CALLS_OF_NEW_OWNERS,
    refusal,
  });

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
  readonly #ofRun = new FairQueue({ concurrency: MAX_RUN_CALLS, refusal });

  constructor(share: Share, slot: { waitFor: WaitFor }, ofProcess: FairQueue) {
    this.#share = share;
    this.#slot = slot;
    this.#ofProcess = ofProcess;
  }

  /** Makes a call in its turn. Returns null, without the call, when the deadline comes or the signal is aborted before. */
  run<T>(wait: TurnWait, call: () => Promise<T>): Promise<T | null> {
    return runInTurn(wait, (signal, inTurn) => this.#inTurn(signal, inTurn), call);
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

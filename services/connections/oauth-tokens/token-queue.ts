import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

/** Token requests of this process in flight at once; further requests wait. */
const CONCURRENCY = 64;
/** Token requests of one owner in flight at once; further requests of the owner wait. */
const PER_OWNER = 8;
/** Token requests that wait. Beyond it the newest request of the owner with the most waiting ones is refused. */
const MAX_QUEUED = 1_000;
/** Token requests of one owner that wait. Further requests of the owner are refused. */
const MAX_QUEUED_PER_OWNER = 100;

/** A token request did not get its turn: too many requests waited, or its time ended. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

/** Lets token requests be sent in turns of the owners of their workspaces, because a token endpoint may be slow. */
export class TokenQueue {
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    perOwner: () => PER_OWNER,
    maxQueued: MAX_QUEUED,
    maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
    refusal: () => new NoTurnError(),
  });

  /** Does the work in its turn. Throws a `NoTurnError` when the queue is full, or `signal` is aborted first. */
  run<T>(share: Share, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#queue.run(share, work, undefined, signal);
  }
}

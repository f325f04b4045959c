import { availableParallelism } from 'node:os';
import type { Client } from '../../../contract/client.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { passwordQueueLeft, passwordQueued, type WaitOutcome } from '../identity.diagnostics.ts';

/** The share of a hash in the queue: the owner is the client's network, the tenant is the account. */
export const shareOf = ({ address }: Client, emailKey: string): Share => ({
  owner: `network:${networkOf(address)}`,
  tenant: `account:${emailKey}`,
});

/**
 * Hashes that run at once: half of the cores, because reads need the others, and at most three of libuv's
 * four threads, because files and host names need one. Further hashes wait.
 */
const CONCURRENCY = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));
/** Hashes of one network that may wait, a second of one core's work. Further ones are refused. */
const MAX_QUEUED_PER_NETWORK = 128;
/** Hashes of all networks that may wait. Beyond it the newest hash of the network with the most is refused. */
const MAX_QUEUED = 256;
/** Milliseconds after which a waiting hash is refused. */
const QUEUE_TIMEOUT_MS = 5_000;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER_SECONDS = 2;

/** One queue for the process, because all hashes share its cores. */
const queue = new FairQueue({
  concurrency: CONCURRENCY,
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_NETWORK,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal: () =>
    new Problem(Unavailable, 'Too many passwords wait to be compared.', {
      retryAfter: RETRY_AFTER_SECONDS,
    }),
});

/** Does the work in its share's turn. Throws 503 where the queue is full, and after 5 s of waiting. */
export async function inPasswordQueue<T>(share: Share, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  let hasLeft = false;
  const leave = (outcome: WaitOutcome) => {
    hasLeft = true;
    passwordQueueLeft.publish({ outcome, ms: performance.now() - began });
  };
  passwordQueued.publish({});
  try {
    return await queue.run(share, () => {
      leave('started');
      return work();
    });
  } finally {
    if (!hasLeft) leave('refused');
  }
}

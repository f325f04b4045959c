import { availableParallelism } from 'node:os';
import type { Client } from '../../../contract/client.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

/** On whose account passwords are hashed and compared: networks take turns, then a network's accounts. */
export const shareOf = ({ address }: Client, emailKey: string): Share => ({
  owner: `network:${networkOf(address)}`,
  tenant: `account:${emailKey}`,
});

/**
 * Hashes under way at once: half of the cores, since reads need the others, and fewer than the four
 * threads of libuv's pool, since files and host names need one. More wait.
 */
const CONCURRENCY = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));
/** Hashes of one network that may wait, a second of one core's work; more are refused. */
const MAX_QUEUED_PER_NETWORK = 128;
/** Hashes of all networks that may wait; the newest of the network with the most is refused beyond it. */
const MAX_QUEUED = 256;
/** Milliseconds that a hash may wait; later it is refused, undone. */
const QUEUE_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/** The queue of this process, for its cores are shared by all that hashes in it. */
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

export const inPasswordQueue = <T>(share: Share, work: () => Promise<T>): Promise<T> =>
  queue.run(share, work);

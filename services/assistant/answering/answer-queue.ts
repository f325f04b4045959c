import type { Caller } from '../../../contract/caller.ts';
import { nameOfCaller } from '../../../contract/caller.ts';
import { Problem } from '../../../contract/problem.ts';
import { TooManyWaiting } from '../../../contract/quota.ts';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';

/** Answers of this process under way at once; further ones wait. One owner has three quarters of them at most. */
const CONCURRENCY = 32;
/** Answers of one person, or service account, under way at once; further ones wait. */
const PER_CALLER = 4;
/** Answers that wait. Beyond it the newest of the owner with the most waiting answers is refused with 429. */
const MAX_QUEUED = 200;
/** Answers of one caller that wait. Further ones are refused with 429. */
const MAX_QUEUED_PER_CALLER = 8;
/** Milliseconds after which a waiting answer is refused with 429. */
const QUEUE_TIMEOUT_MS = 20_000;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 5;

/** Lets answers begin in turns of owners, since the model is everybody's. */
export class AnswerQueue {
  readonly #owners: ShareOwners;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    isDivided: true,
    perTenant: PER_CALLER,
    maxQueued: MAX_QUEUED,
    maxQueuedPerTenant: MAX_QUEUED_PER_CALLER,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
    refusal: tooManyAnswers,
  });

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** Does the work in its turn. Throws 429 when the queue refuses it. */
  async run<T>(
    workspaceId: number,
    caller: Caller,
    work: (share: Share) => Promise<T>,
  ): Promise<T> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    const turn = { ...share, tenant: nameOfCaller(caller) ?? caller.kind };
    return this.#queue.run(turn, () => work(share));
  }
}

const tooManyAnswers = (): Problem =>
  new Problem(TooManyWaiting, 'Too many answers of the assistant are under way.', {
    retryAfter: RETRY_AFTER,
  });

import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import { tooManyTests } from './test-call.problems.ts';

/** Tests of this process in flight at once; further tests wait. */
const CONCURRENCY = 32;
/** Tests of one owner in flight at once; further tests of the owner wait. */
const PER_OWNER = 8;
/** Tests that wait. Beyond it the newest test of the owner with the most waiting tests is refused with 429. */
const MAX_QUEUED = 500;
/** Tests of one owner that wait. Further tests of the owner are refused with 429. */
const MAX_QUEUED_PER_OWNER = 50;
/** Milliseconds after which a waiting test is refused with 429. */
const QUEUE_TIMEOUT_MS = 20_000;

/** Sends tests in turns of the owners of their workspaces, because a slow target may hold a test for long. */
export class TestQueue {
  readonly #owners: ShareOwners;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    perOwner: () => PER_OWNER,
    maxQueued: MAX_QUEUED,
    maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
    refusal: tooManyTests,
  });

  constructor(owners: ShareOwners) {
    this.#owners = owners;
  }

  /** Does the work in the turn of the workspace. Throws 429 when the queue refuses the work. */
  async run<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(await this.#owners.ofWorkspace(workspaceId), work);
  }
}

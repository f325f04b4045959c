import type { Sandbox } from '@workspace-automation/flow-language';
import { fileSandbox } from '../sandbox.ts';
import { levelOf } from './cpu-shares.ts';
import { FairQueue } from './fair-queue.ts';
import type { QueueLimits } from './queue-limits.ts';
import type { Share } from './share.ts';

/** Checks in flight at once, one for each child of the sandbox. Further checks wait in the queue. */
const CONCURRENCY = 2;
/** Checks in flight of one owner. Further checks of the owner wait, so that one child is free for other owners. */
const PER_OWNER = 1;
/** Checks in flight of all owners above level 0. Further checks wait, so that one child is free for owners of level 0. */
const ABOVE_LEVEL_0 = 1;

/** The limits by which checks of different owners share the children of one sandbox. */
export const FILE_CHECK_LIMITS = {
  concurrency: CONCURRENCY,
  perOwner: () => PER_OWNER,
  levelOf,
  concurrencyAboveLevel0: ABOVE_LEVEL_0,
};

/** The queue for the children of `fileSandbox`. Each kind of check has its own limits of waiting checks. */
const queue = new FairQueue({
  ...FILE_CHECK_LIMITS,
  refusal: () => new Error('a check is refused by the limits of its use'),
});

/** Does a check of a request's content in its owner's turn. `limits` are the limits of the kind of check. */
export const queueFileCheck = <T>(
  share: Share,
  limits: QueueLimits,
  check: (sandbox: Sandbox) => Promise<T>,
): Promise<T> => queue.run(share, () => check(fileSandbox()), limits);

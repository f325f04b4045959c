import type { Sandbox } from '@workspace-automation/flow-language';
import { fileSandbox } from '../sandbox.ts';
import { levelOf } from './cpu-shares.ts';
import { FairQueue } from './fair-queue.ts';
import type { QueueLimits } from './queue-limits.ts';
import type { Share } from './share.ts';

/** Checks in flight at once: one for each child of the sandbox, since more would only wait for a child. */
const CONCURRENCY = 2;
/** Checks in flight of one owner. One child is left for all other owners. */
const PER_OWNER = 1;
/** Checks in flight of all owners above level 0. One child is left for owners who have used hardly any CPU time. */
const ABOVE_LEVEL_0 = 1;

/** How checks of different owners share the children of one sandbox. */
export const FILE_CHECK_LIMITS = {
  concurrency: CONCURRENCY,
  perOwner: () => PER_OWNER,
  levelOf,
  concurrencyAboveLevel0: ABOVE_LEVEL_0,
};

/** The queue for the children of `fileSandbox`. Each use gives its own limits of what may wait. */
const queue = new FairQueue({
  ...FILE_CHECK_LIMITS,
  refusal: () => new Error('a check is refused by the limits of its use'),
});

/** Checks content of a request when it is its owner's turn. The `limits` are those of the use. */
export const queueFileCheck = <T>(
  share: Share,
  limits: QueueLimits,
  check: (sandbox: Sandbox) => Promise<T>,
): Promise<T> => queue.run(share, () => check(fileSandbox()), limits);

import type { Sandbox } from '@workspace-automation/flow-language';
import { fileSandbox } from '../sandbox.ts';
import { levelOf } from './cpu-shares.ts';
import { FairQueue } from './fair-queue.ts';
import type { QueueLimits } from './queue-limits.ts';
import type { Share } from './share.ts';

/** Checks at once: one a child of a sandbox; more would only wait for a child. */
const CONCURRENCY = 2;
/** Checks of one owner at once, whatever is checked: one child is left for everybody else. */
const PER_OWNER = 1;
/** Of all owners who used CPU time that counts: the other child is left for the rest. */
const ABOVE_LEVEL_0 = 1;

/** How checks share the children of one sandbox. */
export const CHECK_TURNS = {
  concurrency: CONCURRENCY,
  perOwner: () => PER_OWNER,
  levelOf,
  aboveLevel0: ABOVE_LEVEL_0,
};

/** One queue for all that the children of `fileSandbox` do. What may wait is up to each use. */
const queue = new FairQueue({
  ...CHECK_TURNS,
  refusal: () => new Error('a check is refused by the limits of its use'),
});

/** Checks something that a request brings, in its owner's turn. The `limits` are those of the use. */
export const checkInTurn = <T>(
  share: Share,
  limits: QueueLimits,
  check: (sandbox: Sandbox) => Promise<T>,
): Promise<T> => queue.run(share, () => check(fileSandbox()), limits);

import type { JobContext, Sandbox } from '@workspace-automation/flow-language';
import { fileSandbox } from '../sandbox.ts';
import { chargeOwner, jobContextOf, levelOf } from './cpu-shares.ts';
import { FairQueue } from './fair-queue.ts';
import { hasMetLimit, NEW_CHILD_MS, Quarantine } from './quarantine.ts';
import type { QueueLimits } from './queue-limits.ts';
import type { Share } from './share.ts';

/** Checks in flight at once, one for each child of the sandbox. Further checks wait in the queue. */
const CONCURRENCY = 2;
/** Checks in flight of one owner. Further checks of the owner wait, so that one child is free for other owners. */
const PER_OWNER = 1;
/** Checks in flight of all owners above level 0. Further checks wait, so that one child is free for owners of level 0. */
const ABOVE_LEVEL_0 = 1;

/** Checks of one workspace, or of one caller outside a workspace, that wait. Further checks are refused. */
const MAX_QUEUED_PER_TENANT = 20;
/** Checks of one owner that wait. Further checks are refused. */
const MAX_QUEUED_PER_OWNER = 60;
/** Checks of all owners that wait. Beyond it the newest check of the owner with most waiting checks is refused. */
const MAX_QUEUED = 1_000;
/** Milliseconds after which a waiting check is refused: less than the deadline of an action that checks. */
const QUEUE_TIMEOUT_MS = 20_000;

/** The limits of waiting checks for requests that bring a file. `refusal` makes the problem of a refused check. */
export const limitsOfRequests = (refusal: QueueLimits['refusal']): QueueLimits => ({
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
  maxQueuedPerTenant: MAX_QUEUED_PER_TENANT,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal,
});

/** The limits by which checks of different owners share the children of one sandbox. */
export const FILE_CHECK_LIMITS = {
  concurrency: CONCURRENCY,
  perOwner: () => PER_OWNER,
  levelOf,
  concurrencyAboveLevel0: ABOVE_LEVEL_0,
};

/** The owners whose expressions met a limit of the sandbox lately. */
const quarantine = new Quarantine();

/** The queue for the children of `fileSandbox`. Each kind of check has its own limits of waiting checks. */
const queue = new FairQueue({
  ...FILE_CHECK_LIMITS,
  isQuarantined: (share) => quarantine.has(share),
  refusal: () => new Error('a check is refused by the limits of its use'),
});

/** Does a check of a request's content in its owner's turn. `limits` are the limits of the kind of check. */
export const queueFileCheck = <T>(
  share: Share,
  limits: QueueLimits,
  check: (sandbox: Sandbox) => Promise<T>,
): Promise<T> => queue.run(share, () => check(fileSandbox()), limits);

/**
 * Evaluates a request's expression in its owner's turn, with the sandbox of files. An expression that meets a limit is
 * charged with the start of the next child, and counts for the quarantine of its owner.
 */
export const queueExpression = <T>(
  share: Share,
  limits: QueueLimits,
  evaluate: (sandbox: Sandbox, context: JobContext) => Promise<T>,
): Promise<T> =>
  queueFileCheck(share, limits, async (sandbox) => {
    const context = { ...jobContextOf(share), isQuarantined: quarantine.has(share) };
    try {
      return await evaluate(sandbox, context);
    } catch (error) {
      if (hasMetLimit(error)) {
        quarantine.note(share);
        chargeOwner(share.owner, NEW_CHILD_MS);
      }
      throw error;
    }
  });

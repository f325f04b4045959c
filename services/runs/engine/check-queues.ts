import type { Compiled, Json, Verdict } from '@workspace-automation/flow-language';
import { jobContextOf } from '../../../support/fair-shares/cpu-shares.ts';
import { FairQueue } from '../../../support/fair-shares/fair-queue.ts';
import {
  FILE_CHECK_LIMITS,
  queueFileCheck,
} from '../../../support/fair-shares/file-check-queue.ts';
import type { QueueLimits } from '../../../support/fair-shares/queue-limits.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { sandbox } from '../../../support/sandbox.ts';
import { tooManyStarts } from '../runs.problems.ts';
import type { PlanUse } from './execution/plan-cache.ts';

/**
 * Queued starts of one workspace; further starts are refused. A start takes a few ms of CPU time, and 2 s at
 * worst.
 */
const MAX_QUEUED_PER_TENANT = 250;
/** Queued starts of one owner; further starts are refused. */
const MAX_QUEUED_PER_OWNER = 500;
/** Queued starts of all owners; beyond this number a start of the owner with most queued starts is refused. */
const MAX_QUEUED = 5_000;
/** Milliseconds that a start may wait in the queue; then the start is refused, long before its call times out. */
const QUEUE_TIMEOUT_MS = 8_000;

/** The limits of the queue for starts. The children that check starts do not evaluate expressions of runs. */
const START_LIMITS: QueueLimits = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerOwner: MAX_QUEUED_PER_OWNER,
  maxQueuedPerTenant: MAX_QUEUED_PER_TENANT,
  queueTimeoutMs: QUEUE_TIMEOUT_MS,
  refusal: tooManyStarts,
};
/** Compilations for runs under way. No compilation is refused: each run of this process needs one at most. */
const runCompilations = new FairQueue({ ...FILE_CHECK_LIMITS, refusal: tooManyStarts });

/** Compiles a version, a text that has compiled before, in its owner's turn. */
export function compileInTurn(content: string, share: Share, use: PlanUse): Promise<Compiled> {
  const options = { stored: true, ...jobContextOf(share) };
  return use === 'start'
    ? queueFileCheck(share, START_LIMITS, (files) => files.compile(content, options))
    : runCompilations.run(share, () => sandbox().compile(content, options));
}

/** Checks the input of a start in its owner's turn. */
export const validateInTurn = (schema: Json, value: Json, share: Share): Promise<Verdict> =>
  queueFileCheck(share, START_LIMITS, (files) =>
    files.validateInput(schema, value, jobContextOf(share)),
  );

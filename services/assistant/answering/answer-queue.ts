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
/** Answers to the prompts of one workspace's runs under way at once; further ones wait. */
const PER_WORKSPACE_OF_RUNS = 16;
/** Answers to persons that wait. Beyond it the newest of the owner with the most waiting answers is refused with 429. */
const MAX_QUEUED = 200;
/** Answers of one caller that wait. Further ones are refused with 429. */
const MAX_QUEUED_PER_CALLER = 8;
/** Milliseconds after which a waiting answer is refused with 429. */
const QUEUE_TIMEOUT_MS = 20_000;
/** Prompts of runs that wait, each with up to 400 KB. Beyond it the newest of the owner with the most is refused. */
const MAX_QUEUED_PROMPTS = 300;
/** Milliseconds after which a waiting prompt is refused: 7 min. A refusal is an error of the task, so prompts wait long. */
const PROMPT_QUEUE_TIMEOUT_MS = 7 * 60_000;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 5;

/** The limits of prompts, which count apart from the answers to persons. */
const PROMPT_LIMITS = {
  maxQueued: MAX_QUEUED_PROMPTS,
  queueTimeoutMs: PROMPT_QUEUE_TIMEOUT_MS,
  refusal: tooManyAnswers,
};

/** Lets answers begin in turns of owners, since the model is everybody's. */
export class AnswerQueue {
  readonly #owners: ShareOwners;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    isDivided: true,
    perTenant: ({ run }) => (run === undefined ? PER_CALLER : PER_WORKSPACE_OF_RUNS),
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

  /**
   * Does the work of a run's prompt in its turn: the runs of a workspace take turns, and leave room for its persons.
   * Throws 429 when the queue refuses the work, and when the signal is aborted before its turn.
   */
  async runPrompt<T>(
    { runId, workspaceId }: Extract<Caller, { kind: 'run' }>,
    work: (share: Share) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const share = await this.#owners.ofWorkspace(workspaceId);
    return this.#queue.run({ ...share, run: runId }, () => work(share), PROMPT_LIMITS, signal);
  }
}

function tooManyAnswers(): Problem {
  const detail = 'Too many answers of the assistant are under way.';
  return new Problem(TooManyWaiting, detail, { retryAfter: RETRY_AFTER });
}

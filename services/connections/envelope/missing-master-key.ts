import type { Logger } from 'pino';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { logger } from '../../../support/logging.ts';

/** Seconds after which a caller may try again: a process that has the master key may answer then. */
const RETRY_AFTER_S = 5;
/** Milliseconds within which the lack of the same master key is not logged again. */
const REPEAT_AFTER_MS = 60_000;

/** Thrown where the process lacks the master key that wraps a data key. The message is for the operator. */
export class MissingMasterKeyError extends Error {
  override readonly name = 'MissingMasterKeyError';

  readonly kid: string;

  constructor(kid: string, workspaceId: number) {
    super(
      `CREDENTIALS_MASTER_KEYS lacks the key ${kid}, which wraps the key of workspace ${workspaceId}`,
    );
    this.kid = kid;
  }
}

/** Logs missing master keys, each at most once a minute. */
export class MissingMasterKeyLog {
  readonly #logger: Pick<Logger, 'error'>;
  readonly #now: () => number;
  /** The time of the last line, by the id of the master key. The keys are few, so none is dropped. */
  readonly #loggedAt = new Map<string, number>();

  constructor(target: Pick<Logger, 'error'> = logger, now = () => performance.now()) {
    this.#logger = target;
    this.#now = now;
  }

  error({ kid, message: reason }: MissingMasterKeyError): void {
    const now = this.#now();
    const last = this.#loggedAt.get(kid);
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return;
    this.#loggedAt.set(kid, now);
    this.#logger.error({ reason }, 'Secrets cannot be opened or sealed without a master key');
  }
}

/** The 503 for a caller whose secrets need a missing master key. Runs wait until the operator adds the key. */
export const secretsUnavailable = (): Problem =>
  new Problem(Unavailable, 'The secrets of the workspace cannot be used at the moment.', {
    retryAfter: RETRY_AFTER_S,
  });

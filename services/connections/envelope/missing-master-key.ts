import { Problem, Unavailable } from '../../../contract/problem.ts';
import { logger } from '../../../support/logging.ts';

/** Seconds after which a caller may try again: a process that has the master key may answer then. */
const RETRY_AFTER_S = 5;

/** Thrown where the process lacks the master key that wraps a data key. The message is for the operator. */
export class MissingMasterKeyError extends Error {
  override readonly name = 'MissingMasterKeyError';

  constructor(kid: string, workspaceId: number) {
    super(
      `CREDENTIALS_MASTER_KEYS lacks the key ${kid}, which wraps the key of workspace ${workspaceId}`,
    );
  }
}

/** Logs the master key that is missing, and makes the 503 for the caller. Runs wait until the operator adds the key. */
export function secretsUnavailable({ message: reason }: MissingMasterKeyError): Problem {
  logger.error({ reason }, 'Secrets cannot be opened or sealed without a master key');
  return new Problem(Unavailable, 'The secrets of the workspace cannot be used at the moment.', {
    retryAfter: RETRY_AFTER_S,
  });
}

import type { Logger } from 'moleculer';
import { InternalError, Problem } from '../../../../contract/problem.ts';
import { deadlineExceeded, unavailable } from '../../../../middlewares/error-mapping.ts';
import { outageOf } from '../../../../support/database-outage.ts';
import { outageLog } from '../../../../support/outage-log.ts';
import { Interrupted } from '../interruption.ts';

/** The problem of an answer that could not be stored to its end. */
export function answerProblem(error: unknown, logger: Pick<Logger, 'error'>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Interrupted) return deadlineExceeded(); // another process has ended the answer
  const outage = outageOf(error);
  if (outage) {
    outageLog.warn(outage);
    return unavailable('The database');
  }
  logger.error({ err: error }, 'An answer of the assistant has failed');
  return new Problem(InternalError, 'Something went wrong on our side.');
}

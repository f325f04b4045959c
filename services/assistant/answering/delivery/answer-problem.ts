import type { Logger } from 'moleculer';
import { InternalError, Problem } from '../../../../contract/problem.ts';
import { deadlineExceeded, outageProblem } from '../../../../middlewares/error-mapping.ts';
import { Interrupted } from '../interruption.ts';

/** The problem of an answer that could not be stored to its end. */
export function answerProblem(error: unknown, logger: Pick<Logger, 'error'>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Interrupted) return deadlineExceeded(); // another process has ended the answer
  const outage = outageProblem(error);
  if (outage) return outage;
  logger.error({ err: error }, 'An answer of the assistant has failed');
  return new Problem(InternalError, 'Something went wrong on our side.');
}

import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import {
  DeadlinePassed,
  InternalError,
  Problem,
  StorageFull,
  Unavailable,
} from '../contract/problem.ts';
import { areWritesBlocked, isStorageFull, outageOf } from '../support/database-outage.ts';
import { outageLog } from '../support/outage-log.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/** Seconds after which a caller may try again what a missing dependency refused. */
const RETRY_AFTER = 1;

/** The same for refused writes of the database, which last until its operator acts. */
const OPERATOR_RETRY_AFTER = 30;

export const unavailable = (what: string): Problem =>
  new Problem(Unavailable, `${what} cannot be reached at the moment.`, { retryAfter: RETRY_AFTER });

/** The problem of an outage of the database, which is logged; null for an error with another cause. */
export function outageProblem(error: unknown): Problem | null {
  const outage = outageOf(error);
  if (!outage) return null;
  outageLog.warn(outage);
  const untilOperatorActs = { retryAfter: OPERATOR_RETRY_AFTER };
  if (isStorageFull(outage)) {
    const detail = 'The disk of the database is full: nothing can be stored.';
    return new Problem(StorageFull, detail, untilOperatorActs);
  }
  if (areWritesBlocked(outage)) {
    const detail = "The database's operator has blocked writes: nothing can be stored.";
    return new Problem(Unavailable, detail, untilOperatorActs);
  }
  return unavailable('The database');
}

/** The name of a service that cannot be reached, in its problem: the problem hides the real name. */
export const A_PART = 'A part of the service';

export const deadlineExceeded = (): Problem =>
  new Problem(DeadlinePassed, 'The operation took too long and was given up.');

/**
 * Maps the errors of an action to problems: a problem stays as it is, an outage of the database becomes
 * a 503, and any other error a 500 without details. The log has the cause of a 500.
 */
export const ErrorMapping = defineMiddleware({
  name: 'ErrorMapping',
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    return async (ctx: ActionContext) => {
      try {
        return await next(ctx);
      } catch (error) {
        if (error instanceof Errors.RequestTimeoutError) throw deadlineExceeded();
        // The call was retried where it failed; a retry by each caller would multiply the retries.
        if (error instanceof Errors.MoleculerRetryableError) throw unavailable(A_PART);
        if (error instanceof Errors.MoleculerError) throw error;
        const outage = outageProblem(error);
        if (outage) throw outage;
        if (error instanceof SandboxUnavailable) throw unavailable(A_PART);
        ctx.broker.logger.error({ err: error, action: action.name, requestId: ctx.requestID });
        throw new Problem(InternalError, 'Something went wrong on our side.');
      }
    };
  },
});

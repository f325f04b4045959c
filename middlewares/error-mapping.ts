import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { DeadlinePassed, InternalError, Problem, Unavailable } from '../contract/problem.ts';
import { outageOf } from '../support/database-outage.ts';
import { outageLog } from '../support/outage-log.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/** Seconds after which a caller may try again what a missing dependency refused. */
const RETRY_AFTER = 1;

export const unavailable = (what: string): Problem =>
  new Problem(Unavailable, `${what} cannot be reached at the moment.`, { retryAfter: RETRY_AFTER });

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
        const outage = outageOf(error);
        if (outage) {
          outageLog.warn(outage);
          throw unavailable('The database');
        }
        if (error instanceof SandboxUnavailable) throw unavailable(A_PART);
        ctx.broker.logger.error({ err: error, action: action.name, requestId: ctx.requestID });
        throw new Problem(InternalError, 'Something went wrong on our side.');
      }
    };
  },
});

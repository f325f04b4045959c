import { SandboxUnavailable } from '@workspace-automation/flow-language';
import { type Context, Errors, type Middleware } from 'moleculer';
import { Error as MongooseErrors, mongo } from 'mongoose';
import type { ContractedAction } from './contract-types.ts';
import { DeadlinePassed, InternalError, Problem, Unavailable } from './problem.ts';

type Next = (ctx: Context) => Promise<unknown>;

/** Seconds after which a caller may try again what a missing dependency refused. */
const RETRY_AFTER = 1;

export const unavailable = (what: string): Problem =>
  new Problem(Unavailable, `${what} cannot be reached at the moment.`, { retryAfter: RETRY_AFTER });

/** Which of the services is nobody's business outside. */
export const A_PART = 'A part of the service';

export const tooLate = (): Problem =>
  new Problem(DeadlinePassed, 'The operation took too long and was given up.');

/**
 * The last word on what leaves an action: expected failures as they are, an unreachable database as
 * 503, anything else as a 500 that says nothing, its cause in this node's log.
 */
export const Failures = {
  name: 'Failures',
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    return async (ctx: Context) => {
      try {
        return await next(ctx);
      } catch (error) {
        if (error instanceof Errors.RequestTimeoutError) throw tooLate();
        // Asked for again where it failed already: who called us shall not multiply that.
        if (error instanceof Errors.MoleculerRetryableError) throw unavailable(A_PART);
        if (error instanceof Errors.MoleculerError) throw error;
        if (isDatabaseAway(error)) throw unavailable('The database');
        if (error instanceof SandboxUnavailable) throw unavailable(A_PART);
        ctx.broker.logger.error({ err: error, action: action.name, requestId: ctx.requestID });
        throw new Problem(InternalError, 'Something went wrong on our side.');
      }
    };
  },
} as unknown as Middleware;

/**
 * What a server says that is no primary just now, shuts down, or has lost a peer it needs: what the
 * driver tries again once by itself (its `RETRYABLE_READ_ERROR_CODES`, its list of state changes), and
 * a read preference that nobody meets.
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10058, // LegacyNotPrimary
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);
/** A new connection whose password is refused: the others may work, and the operator mends it. */
const AUTHENTICATION_FAILED = 18;

/** Network failures, a missing primary or an election, a refused login, and a connection that was never made. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof MongooseErrors.MongooseServerSelectionError) return true;
  if (error instanceof MongooseErrors) {
    return /before initial connection|bufferCommands/.test(error.message);
  }
  // What went wrong with a command of a bulk write or of `insertMany` is inside.
  if (error instanceof mongo.MongoBulkWriteError && error.errorResponse instanceof Error) {
    return isDatabaseAway(error.errorResponse);
  }
  return (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoTopologyClosedError ||
    error instanceof mongo.MongoNotConnectedError ||
    (error instanceof mongo.MongoError &&
      (error.hasErrorLabel('RetryableWriteError') ||
        error.code === AUTHENTICATION_FAILED ||
        AWAY_CODES.has(error.code)))
  );
}

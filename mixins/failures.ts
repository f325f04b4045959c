import { types } from 'node:util';
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
 * Codes of a server that is no primary, shuts down, has lost a peer, is overloaded or has no space left.
 * They include all that the driver retries (`RETRYABLE_READ_ERROR_CODES`) or takes for a change of state.
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  18, // AuthenticationFailed, of a new connection: the operator mends it
  43, // CursorNotFound, after a failover
  64, // WriteConcernTimeout: the write may hold
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: the write may hold
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  237, // CursorKilled
  262, // ExceededTimeLimit
  317, // ConnectionPoolExpired
  365, // TemporarilyUnavailable
  384, // ConnectionError
  462, // IngressRequestRateLimitExceeded
  9001, // SocketException
  10058, // LegacyNotPrimary
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11601, // Interrupted
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  14031, // OutOfDiskSpace
]);

/** Labels of errors that belong to a connection or to a server under load, not to a command. */
const AWAY_LABELS = ['RetryableWriteError', 'HandshakeError', 'SystemOverloadedError'];

const AWAY_CLASSES = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoUnexpectedServerResponseError,
  mongo.MongoParseError, // of an answer without a possible length
  mongo.MongoNotConnectedError,
  mongo.MongoServerClosedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
  mongo.MongoExpiredSessionError, // the client was closed meanwhile
];
/** Classes that the driver does not export. */
const AWAY_NAMES = ['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'];

/** System errors of a socket, which the driver throws as they are when they interrupt a large write. */
const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
]);

/**
 * Whether an outage of the database is the cause: network failures, elections, shutdowns, a connection
 * that cannot be made, a write concern that is not met. A write may have been carried out nevertheless.
 * An error that consists of several is an outage when one of them is.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  return isOutage(error) || partsOf(error).some(isDatabaseAway);
}

function isOutage(error: Error): boolean {
  if (error instanceof MongooseErrors.MongooseServerSelectionError) return true;
  if (error instanceof MongooseErrors) {
    return /before initial connection|bufferCommands|force closed/.test(error.message);
  }
  if (!(error instanceof mongo.MongoError)) return 'code' in error && SOCKET_CODES.has(error.code);
  return (
    AWAY_CLASSES.some((known) => error instanceof known) ||
    AWAY_NAMES.includes(error.name) ||
    AWAY_LABELS.some((label) => error.hasErrorLabel(label)) ||
    codesOf(error).some((code) => AWAY_CODES.has(code))
  );
}

/** Of the command, and of each statement of a bulk write that failed. */
const codesOf = (error: mongo.MongoError): unknown[] =>
  error instanceof mongo.MongoBulkWriteError
    ? [error.code, ...[error.writeErrors].flat().map(({ code }) => code)]
    : [error.code];

/** The errors within an error. A bulk write keeps what interrupted it as its `errorResponse`. */
function partsOf(error: Error): unknown[] {
  const several = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const response = error instanceof mongo.MongoServerError ? error.errorResponse : undefined;
  return [error.cause, response, ...several];
}

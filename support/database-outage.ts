import { types } from 'node:util';
import { Error as MongooseErrors, mongo } from 'mongoose';
import type { Outage } from './outage-log.ts';

/**
 * Codes that the driver retries (`RETRYABLE_READ_ERROR_CODES`) or takes for a change of state, and codes
 * that have been met besides. Some need the operator: the log has the code of each outage.
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  18, // AuthenticationFailed, of a new connection: the operator mends it
  43, // CursorNotFound, after a failover or a restart
  64, // WriteConcernTimeout: the write may hold
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: the write holds; the operator mends it
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
  14031, // OutOfDiskSpace, which the embedded database answers: the operator mends it
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
export const isDatabaseAway = (error: unknown): boolean => outageOf(error) !== null;

/** Whether an operation failed because the driver looked for a server in vain, for as long as it may. */
export const isServerSelectionError = (error: unknown): boolean =>
  outageOf(error)?.code === mongo.MongoServerSelectionError.name;

/** The outage of the database that an error tells of; null when the error tells of none. */
export function outageOf(error: unknown, seen = new Set<unknown>()): Outage | null {
  if (!types.isNativeError(error) || seen.has(error)) return null;
  seen.add(error);
  const outage = ownOutageOf(error);
  if (outage) return outage;
  for (const part of partsOf(error)) {
    const inner = outageOf(part, seen);
    if (inner) return inner;
  }
  return labelledOutageOf(error);
}

/** The outage that the error itself is, its parts and labels left aside. */
function ownOutageOf(error: NodeJS.ErrnoException): Outage | null {
  const { name, message, code } = error;
  if (!(error instanceof mongo.MongoError)) {
    if (isOutageOfMongoose(error)) return { code: name, message };
    return isSocketWrite(error) ? { code: String(code), message } : null;
  }
  const away = answersOf(error).find((answer) => AWAY_CODES.has(answer.code));
  if (away) return { code: Number(away.code), message: away.message };
  const isAway = AWAY_CLASSES.some((known) => error instanceof known) || AWAY_NAMES.includes(name);
  return isAway ? { code: name, message } : null;
}

function labelledOutageOf(error: Error): Outage | null {
  if (!(error instanceof mongo.MongoError)) return null;
  const label = AWAY_LABELS.find((known) => error.hasErrorLabel(known));
  if (!label) return null;
  // The message of a bulk write may be that of a duplicate, with the key that a user gave.
  const isBulk = error instanceof mongo.MongoBulkWriteError;
  return { code: label, message: isBulk ? label : error.message };
}

const isOutageOfMongoose = (error: Error): boolean =>
  error instanceof MongooseErrors.MongooseServerSelectionError ||
  (error instanceof MongooseErrors &&
    /before initial connection|bufferCommands|force closed/.test(error.message));

/** The driver throws such an error as it is. Other clients of sockets wrap theirs in classes of their own. */
const isSocketWrite = (error: NodeJS.ErrnoException): boolean =>
  error.syscall === 'write' && SOCKET_CODES.has(error.code);

interface Answer {
  code: unknown;
  message: string;
}

/** What the server answered to the command, and to each statement of a bulk write that failed. */
function answersOf(error: mongo.MongoError): Answer[] {
  const statements = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [
    error,
    ...statements.map(({ code, errmsg = '' }) => ({ code, message: errmsg })),
  ] as Answer[];
}

/**
 * The errors within an error. A bulk write keeps what interrupted it as its `errorResponse`. Causes of
 * errors that are not the database's, such as a failed request of a flow, have nothing to do with it.
 */
function partsOf(error: Error): unknown[] {
  const several = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const response = error instanceof mongo.MongoServerError ? error.errorResponse : undefined;
  const isOfDatabase = error instanceof mongo.MongoError || error instanceof MongooseErrors;
  return [isOfDatabase ? error.cause : undefined, response, ...several];
}

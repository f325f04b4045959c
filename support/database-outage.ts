import { types } from 'node:util';
import { Error as MongooseErrors, mongo } from 'mongoose';

/** A failure of the database. `code` is the code of the database's answer, or the driver's error name or label. */
export interface Outage {
  code: number | string;
  message: string;
}

/** MongoDB's code for writes that an administrator or the provider has blocked. */
const USER_WRITES_BLOCKED = 371;
/** The reason in the message of a provider, such as Atlas, that blocks writes before the disk is full. */
const DISK_REASON = 'DiskUseThresholdExceeded';
/** The code of the embedded database for a write to a full disk, and of MongoDB for a file that it cannot write. */
const OUT_OF_DISK_SPACE = 14031;

/**
 * Error codes of an outage: the driver's `RETRYABLE_READ_ERROR_CODES` and codes for a change of state, and codes
 * observed in outages. Some outages last until the operator acts; the log has the code of each outage.
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  18, // AuthenticationFailed, of a new connection: needs the operator
  43, // CursorNotFound, after a failover or a restart
  64, // WriteConcernTimeout: the write may persist
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: the write was carried out; needs the operator
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
  USER_WRITES_BLOCKED, // needs the operator
  OUT_OF_DISK_SPACE, // needs the operator
]);

/** Labels of errors that belong to a connection or to a server under load, not to a command. */
const AWAY_LABELS = ['RetryableWriteError', 'HandshakeError', 'SystemOverloadedError'];

const AWAY_CLASSES = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoUnexpectedServerResponseError,
  mongo.MongoParseError, // of an answer with an invalid length
  mongo.MongoNotConnectedError,
  mongo.MongoServerClosedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoClientClosedError,
  mongo.MongoExpiredSessionError, // of a client that was closed during the operation
];
/** The names of error classes that the driver does not export. */
const AWAY_NAMES = ['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'];

/** Codes of socket errors. The driver does not wrap a socket error that interrupts a large write. */
const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
]);

/**
 * Whether an outage of the database caused the error, such as a network failure, an election, a shutdown or an unmet
 * write concern. The database may have carried out a failed write.
 */
export const isDatabaseAway = (error: unknown): boolean => outageOf(error) !== null;

/** Whether a full disk caused the outage: the database then refuses writes and answers reads. */
export const isStorageFull = ({ code, message }: Outage): boolean =>
  code === OUT_OF_DISK_SPACE || (code === USER_WRITES_BLOCKED && message.includes(DISK_REASON));

/** Whether the operator of the database, or its provider, has blocked writes: the database answers. */
export const areWritesBlocked = ({ code }: Outage): boolean => code === USER_WRITES_BLOCKED;

/** Whether an operation failed because the driver found no server before its timeout. */
export const isServerSelectionError = (error: unknown): boolean =>
  outageOf(error)?.code === mongo.MongoServerSelectionError.name;

/** The outage of the database that caused the error; null for an error with another cause. */
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

/** The outage by the error's own class and codes, without its parts and labels. */
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
  // The message of a failed bulk write may contain a user's value, such as the key of a duplicate.
  const isBulk = error instanceof mongo.MongoBulkWriteError;
  return { code: label, message: isBulk ? label : error.message };
}

const isOutageOfMongoose = (error: Error): boolean =>
  error instanceof MongooseErrors.MongooseServerSelectionError ||
  (error instanceof MongooseErrors &&
    /before initial connection|bufferCommands|force closed/.test(error.message));

/**
 * Whether the error is an unwrapped socket error of the driver. Other clients wrap socket errors in classes of their own.
 * Node.js refuses a write to a socket that the server has ended with EPIPE and no system call.
 */
const isSocketWrite = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  syscall === undefined ? code === 'EPIPE' : syscall === 'write' && SOCKET_CODES.has(code);

interface Answer {
  code: unknown;
  message: string;
}

/** The server's answers to the command and to each failed statement of a bulk write. */
function answersOf(error: mongo.MongoError): Answer[] {
  const statements = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [
    error,
    ...statements.map(({ code, errmsg = '' }) => ({ code, message: errmsg })),
  ] as Answer[];
}

/**
 * The errors within an error. A bulk write stores the error that interrupted the bulk write as `errorResponse`. Only
 * errors of the database count by their `cause`, so that a failed request of a flow is no outage.
 */
function partsOf(error: Error): unknown[] {
  const several = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const response = error instanceof mongo.MongoServerError ? error.errorResponse : undefined;
  const isOfDatabase = error instanceof mongo.MongoError || error instanceof MongooseErrors;
  return [isOfDatabase ? error.cause : undefined, response, ...several];
}

import type { Document } from './bson/values.ts';

/** The codes of MongoDB's error_codes.yml that this engine uses. */
const CODES = {
  InternalError: 1,
  BadValue: 2,
  UnknownError: 8,
  FailedToParse: 9,
  TypeMismatch: 14,
  Overflow: 15,
  Unauthorized: 13,
  InvalidLength: 16,
  ProtocolError: 17,
  IllegalOperation: 20,
  InvalidBSON: 22,
  LockTimeout: 24,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NotExactValueField: 111,
  WriteConflict: 112,
  ConflictingOperationInProgress: 117,
  CommandNotSupported: 115,
  CommandFailed: 125,
  ConversionFailure: 241,
  ExceededMemoryLimit: 146,
  NamespaceCannotBeSharded: 147,
  CannotIndexParallelArrays: 171,
  InvalidPipelineOperator: 168,
  QueryPlanKilled: 175,
  AmbiguousIndexKeyPattern: 181,
  QueryFeatureNotAllowed: 224,
  TransactionTooOld: 225,
  CursorKilled: 237,
  NotImplemented: 238,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  OperationNotSupportedInTransaction: 263,
  IndexBuildAborted: 276,
  NoQueryExecutionPlans: 291,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  InvalidUUID: 207,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  BackgroundOperationInProgressForNamespace: 12587,
  CursorInUse: 12051,
  MergeStageNoMatchingDocument: 13113,
  InvalidIndexSpecificationOption: 197,
  IndexAlreadyExists: 68,
  UnknownReplWriteConcern: 79,
  UnsatisfiableWriteConcern: 100,
  UnsatisfiableCommitQuorum: 278,
  APIVersionError: 322,
  APIStrictError: 323,
  OutOfDiskSpace: 14031,
  BSONObjectTooLarge: 10334,
  UpdateTooLarge: 17419,
  NotARetryableWriteCommand: 50768,
} as const;

export type CodeName = keyof typeof CODES;

/** An error in the form of a MongoDB server's answer. */
export class MongoError extends Error {
  readonly code: number;
  readonly codeName: string;
  /** The other fields of the answer, such as keyPattern and keyValue. */
  readonly details: Document | undefined;
  readonly labels: string[] = [];

  constructor(code: CodeName | number, message: string, details?: Document) {
    super(message);
    this.name = 'MongoError';
    this.code = typeof code === 'number' ? code : CODES[code];
    // MongoDB names codes without a name `Location` and the code.
    this.codeName = typeof code === 'number' ? `Location${code}` : code;
    this.details = details;
  }

  labelled(label: string): this {
    if (!this.labels.includes(label)) this.labels.push(label);
    return this;
  }
}

/** Throws a `MongoError`. It can be used as an expression. */
export function fail(code: CodeName | number, message: string): never {
  throw new MongoError(code, message);
}

/** Throws for a required field that is missing. `path` begins with the command's name. */
export const missingField = (path: string): never =>
  fail(40414, `BSON field '${path}' is missing but a required field`);

/** Makes the error of a write concern, or a commit quorum, whose mode the replica set does not have. */
export const unknownMode = (name: string): MongoError =>
  new MongoError(
    'UnknownReplWriteConcern',
    `No write concern mode named '${name}' found in replica set configuration`,
  );

/** Throws for a feature of MongoDB that this engine does not support, instead of a wrong answer. */
export function unsupported(what: string, code: CodeName | number = 'NotImplemented'): never {
  throw new MongoError(code, `${what} is not supported by the embedded database engine`);
}

/** Makes the error of a transaction that has ended. The driver may repeat the work in a new transaction. */
export const noSuchTransaction = (number: number): MongoError =>
  new MongoError(
    'NoSuchTransaction',
    `Given transaction number ${number} does not match any in-progress transactions.`,
  ).labelled('TransientTransactionError');

export const snapshotUnavailable = (): MongoError =>
  new MongoError(
    'SnapshotUnavailable',
    'Unable to read from a snapshot due to pending collection catalog changes; please retry the operation.',
  );

/** Makes the error of a command that has taken longer than its `maxTimeMS`. */
export const timeExpired = (): MongoError =>
  new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');

/** Makes the error of a long command that ends because the server stops. */
export const shutdownInProgress = (): MongoError =>
  new MongoError('InterruptedAtShutdown', 'interrupted at shutdown');

/** Makes the error of a command that MongoDB does not carry out while an index is built. */
export const indexBuildRuns = (namespace: string): MongoError =>
  new MongoError(
    'BackgroundOperationInProgressForNamespace',
    `cannot perform operation: an index build is currently running for collection '${namespace}'`,
  );

import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { integerOf, isNumeric, toDouble } from '../bson/numbers.ts';
import { type Document, isDocument, toDocument, typeName, type Value } from '../bson/values.ts';
import { fail, MongoError, noSuchTransaction, timeExpired, unsupported } from '../errors.ts';
import type { CursorReply, Cursors } from '../sessions/cursors.ts';
import type { GroupCommit } from '../sessions/group-commit.ts';
import type { LeftoverRemoval } from '../sessions/leftover-removal.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Collection } from '../storage/catalog.ts';
import type { OperationContext } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';

/** Fields that every command may have. */
const GENERIC = new Set([
  '$db',
  'lsid',
  'txnNumber',
  'startTransaction',
  'autocommit',
  '$clusterTime',
  'readConcern',
  'writeConcern',
  '$readPreference',
  'maxTimeMS',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'helloOk',
  'mayBypassWriteBlocking',
  '$audit',
  '$client',
  '$configServerState',
  'allowDiskUse',
  'bypassDocumentValidation',
  'bypassEmptyTsReplacement',
  'noCursorTimeout',
  'let',
]);

/** Milliseconds of the longest timer of Node.js. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The parts of the engine that commands use. */
export interface EngineParts {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly group: GroupCommit;
  readonly leftovers: LeftoverRemoval;
  /** The address of this server for clients, which `hello` answers. */
  readonly address: string;
}

/** A received command with the context in which it runs. */
export class Request {
  readonly name: string;
  readonly body: Document;
  readonly engine: EngineParts;
  readonly context: OperationContext;
  /** The part of this retryable write that an earlier attempt has done. */
  resumed: Document | undefined;
  private readonly sequences: ReadonlyMap<string, Buffer[]>;
  /** The end of `maxTimeMS`, in milliseconds of `performance.now()`. */
  readonly deadline: number;

  constructor(
    engine: EngineParts,
    body: Document,
    sequences: ReadonlyMap<string, Buffer[]>,
    context: OperationContext,
  ) {
    const [name = ''] = body.keys();
    this.name = name;
    this.engine = engine;
    this.body = body;
    this.sequences = sequences;
    this.context = context;
    const limit = body.get('maxTimeMS');
    this.deadline =
      isNumeric(limit) && toDouble(limit) > 0
        ? performance.now() + toDouble(limit)
        : Number.POSITIVE_INFINITY;
  }

  get(field: string): Value | undefined {
    return this.body.get(field);
  }

  get database(): string {
    const db = this.body.get('$db');
    return typeof db === 'string'
      ? db
      : fail('InvalidNamespace', 'Invalid namespace specified: no $db');
  }

  /** The namespace `database.collection` that the command names. */
  get namespace(): string {
    const name = this.body.get(this.name);
    if (typeof name !== 'string' || name === '' || name.includes('\0')) {
      return fail(
        'InvalidNamespace',
        `Invalid namespace specified '${this.database}.${typeof name === 'string' ? name : ''}'`,
      );
    }
    return `${this.database}.${name}`;
  }

  get collection(): Collection | undefined {
    return this.engine.store.collection(this.context, this.namespace);
  }

  /** Returns the documents of a document sequence, or of the array in the body. */
  documents(field: string): Document[] {
    const sequence = this.sequences.get(field);
    if (sequence) return sequence.map((bytes) => decodeDocument(bytes));
    return this.list(field).map((item) => this.object(field, item));
  }

  /** Returns the documents of a sequence or array as bytes. The bytes of a sequence are the client's own. */
  encodedDocuments(field: string): Buffer[] {
    return this.sequences.get(field) ?? this.documents(field).map(encodeDocument);
  }

  private list(field: string): Value[] {
    const value = this.body.get(field);
    if (Array.isArray(value)) return value;
    if (value === undefined)
      return fail(40414, `BSON field '${this.name}.${field}' is missing but a required field`);
    return this.wrongType(field, value, 'array');
  }

  object(field: string, value = this.body.get(field)): Document {
    if (isDocument(value)) return value;
    if (value === undefined) return new Map();
    return this.wrongType(field, value, 'object');
  }

  flag(field: string): boolean {
    const value = this.body.get(field);
    if (value === undefined || value === null) return false;
    if (typeof value === 'boolean') return value;
    return isNumeric(value) ? toDouble(value) !== 0 : this.wrongType(field, value, 'bool');
  }

  /** Reads a whole number that is not negative. */
  count(field: string): number | undefined {
    const value = this.body.get(field);
    if (value === undefined || value === null) return undefined;
    if (!isNumeric(value)) return this.wrongType(field, value, 'long');
    const n = integerOf(value) ?? Math.trunc(toDouble(value));
    return n >= 0
      ? n
      : fail(51024, `BSON field '${field}' value must be >= 0, actual value '${n}'`);
  }

  private wrongType(field: string, value: Value, wanted: string): never {
    return fail(
      'TypeMismatch',
      `BSON field '${this.name}.${field}' is the wrong type '${typeName(value)}', expected type '${wanted}'`,
    );
  }

  /** Refuses unknown fields of this command, as MongoDB does. */
  allow(...fields: string[]): void {
    for (const field of this.body.keys()) {
      if (field === this.name || GENERIC.has(field) || fields.includes(field)) continue;
      if (field === 'collation') refuseCollation(this.body.get(field));
      else throw new MongoError(40415, `BSON field '${this.name}.${field}' is an unknown field.`);
    }
  }

  /** Waits for an event, and throws when the command has taken longer than its maxTimeMS meanwhile. */
  async until(event: Promise<void>): Promise<void> {
    const left = Math.min(this.deadline - performance.now(), MAX_TIMER_MS);
    const { promise: expired, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, left);
    await Promise.race([event, expired]);
    clearTimeout(timer);
    await this.rest();
  }

  /** Yields to other connections. Throws when the command has taken longer than its maxTimeMS or its transaction has ended. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const { transaction } = this.context;
    if (transaction?.over) throw noSuchTransaction(transaction.number);
    this.checkTime();
  }

  /** Throws when the command has taken longer than its maxTimeMS. */
  checkTime(): void {
    if (performance.now() > this.deadline) throw timeExpired();
  }

  /** The error of a write concern that a replica set of one member cannot fulfil: more members, or tags. */
  get writeConcernError(): Document | undefined {
    const concern = this.body.get('writeConcern');
    const w = isDocument(concern) ? concern.get('w') : undefined;
    if (typeof w === 'string' && w !== 'majority') {
      return toDocument({
        code: 79,
        codeName: 'UnknownReplWriteConcern',
        errmsg: `No write concern mode named '${w}' found in replica set configuration`,
      });
    }
    if (!isNumeric(w) || toDouble(w) <= 1) return undefined;
    return toDocument({
      code: 100,
      codeName: 'CannotSatisfyWriteConcern',
      errmsg: 'Not enough data-bearing nodes',
    });
  }

  /** Whether the write must be on the disk before the answer: {w: 'majority'} or {j: true}. */
  get durable(): boolean {
    const concern = this.body.get('writeConcern');
    if (!isDocument(concern)) return false;
    return (
      concern.get('w') === 'majority' || concern.get('j') === true || concern.get('fsync') === true
    );
  }
}

/** Refuses every collation but {locale: 'simple'}, which compares byte by byte. */
export function refuseCollation(collation: Value | undefined): void {
  if (collation === undefined || collation === null) return;
  if (isDocument(collation) && (collation.size === 0 || collation.get('locale') === 'simple'))
    return;
  unsupported('A collation other than simple');
}

/** Refuses unknown fields of a statement, such as one of update's `updates`. */
export function allowFields(document: Document, name: string, fields: readonly string[]): void {
  for (const field of document.keys()) {
    if (field === 'collation') refuseCollation(document.get(field));
    else if (!fields.includes(field))
      throw new MongoError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
}

export type Reply = Document | CursorReply;

export interface Command {
  run(request: Request): Reply | Promise<Reply>;
  /** Whether the command writes. It may depend on the command's body. */
  writes?: boolean | ((body: Document) => boolean);
  /** Whether the command is allowed in a transaction. */
  inTransaction?: boolean;
}

export type Commands = Record<string, Command>;

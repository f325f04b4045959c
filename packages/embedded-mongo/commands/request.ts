import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { integerOf, isNumeric, toDouble } from '../bson/numbers.ts';
import { type Document, isDocument, typeName, type Value } from '../bson/values.ts';
import { fail, missingField, noSuchTransaction, timeExpired } from '../errors.ts';
import type { CursorReply, Cursors } from '../sessions/cursors.ts';
import type { GroupCommit } from '../sessions/group-commit.ts';
import type { LeftoverRemoval } from '../sessions/leftover-removal.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Collection } from '../storage/catalog.ts';
import type { OperationContext } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';
import { isTrue } from './fields/fields.ts';
import { isDurable } from './fields/write-concern.ts';

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
    return this.list(field).map((item, i) =>
      isDocument(item)
        ? item
        : fail(
            'TypeMismatch',
            `BSON field '${this.name}.${field}.${i}' is the wrong type '${typeName(item)}', expected type 'object'`,
          ),
    );
  }

  /** Returns the documents of a sequence or array as bytes. The bytes of a sequence are the client's own. */
  encodedDocuments(field: string): Buffer[] {
    return this.sequences.get(field) ?? this.documents(field).map(encodeDocument);
  }

  private list(field: string): Value[] {
    const value = this.body.get(field);
    return Array.isArray(value) ? value : missingField(`${this.name}.${field}`);
  }

  /** Returns a field of the type object. The document is empty when the field is left out. */
  object(field: string): Document {
    const value = this.body.get(field);
    return isDocument(value) ? value : new Map();
  }

  flag(field: string): boolean {
    return isTrue(this.body.get(field));
  }

  /** Returns a whole number that is not negative. The command's table of fields has checked it. */
  count(field: string): number | undefined {
    const value = this.body.get(field);
    if (!isNumeric(value)) return undefined;
    const n = integerOf(value) ?? Math.trunc(toDouble(value));
    return Number.isNaN(n) ? 0 : n;
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
    if (performance.now() > this.deadline) throw timeExpired();
  }

  /** Whether the write must be on the disk before the answer. */
  get durable(): boolean {
    return isDurable(this.body);
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

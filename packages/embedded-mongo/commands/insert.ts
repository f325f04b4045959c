import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import {
  type Document,
  Regex,
  Timestamp,
  typeName,
  UNDEFINED,
  type Value,
} from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Collection } from '../storage/catalog.ts';
import { insertDocument } from '../storage/documents.ts';
import { timestampOf } from '../update/operators.ts';
import { withId } from '../update/upsert.ts';
import type { Commands, Reply, Request } from './request.ts';
import { runStatements, writeResult } from './statements.ts';
import { WriteUnit } from './write-unit.ts';

export const MAX_DOCUMENT_BYTES = 16_777_216;
const MAX_BATCH = 100_000;

async function insert(request: Request, unit: WriteUnit): Promise<Reply> {
  const { namespace } = request;
  const documents = request.encodedDocuments('documents');
  checkBatch(documents.length);
  const keepsEmpty = request.flag('bypassEmptyTsReplacement');
  await unit.begin();
  collectionFor(request, namespace);
  const { n, errors } = await runStatements(request, unit, documents, (bytes, _, counts) => {
    insertOne(request, collectionFor(request, namespace), bytes, keepsEmpty);
    counts.n++;
  });
  return writeResult({ n }, errors);
}

/** Returns the collection, which is made by its first write, as in MongoDB. */
export function collectionFor(request: Request, namespace: string): Collection {
  const { store } = request.engine;
  return (
    store.collection(request.context, namespace) ??
    store.createCollection(request.context, checkNamespace(namespace))
  );
}

export function checkNamespace(namespace: string): string {
  const name = namespace.slice(namespace.indexOf('.') + 1);
  if (
    name === '' ||
    name.includes('\0') ||
    name.includes('$') ||
    name.startsWith('.') ||
    name.endsWith('.') ||
    name.startsWith('system.') ||
    /[ "/\\]/.test(namespace.split('.')[0] as string)
  ) {
    fail('InvalidNamespace', `Invalid collection name: ${namespace}`);
  }
  if (Buffer.byteLength(namespace) > 255)
    fail('InvalidNamespace', `Fully qualified namespace is too long: ${namespace}`);
  return namespace;
}

export function checkBatch(size: number): void {
  if (size < 1 || size > MAX_BATCH) {
    fail(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${size} operations.`,
    );
  }
}

/** Inserts a document. The client's own bytes are stored when the document begins with its _id. */
function insertOne(
  request: Request,
  collection: Collection,
  given: Buffer,
  keepsEmptyTimestamps: boolean,
): void {
  let bytes = given;
  let document = decodeDocument(given);
  const [first] = document.keys();
  const replaces = !keepsEmptyTimestamps && hasEmptyTimestamp(document);
  if (first !== '_id' || replaces) {
    document = withId(replaces ? withTimestamps(document) : document);
    bytes = encodeDocument(document);
  }
  checkStored(document, bytes);
  insertDocument(request.context, collection, bytes, document);
}

const isEmpty = (value: Value): boolean => value instanceof Timestamp && value.value === 0n;

function hasEmptyTimestamp(document: Document): boolean {
  for (const value of document.values())
    if (typeof value === 'object' && isEmpty(value)) return true;
  return false;
}

/** Replaces empty timestamps in top-level fields by the present timestamp. */
function withTimestamps(document: Document): Document {
  for (const [name, value] of document) {
    if (isEmpty(value) && name !== '_id') document.set(name, timestampOf(new Date()));
  }
  return document;
}

/** Throws for a document that an update has made too large. */
export function checkUpdatedSize(bytes: Buffer): void {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    fail('UpdateTooLarge', `Resulting document after update is larger than ${MAX_DOCUMENT_BYTES}`);
  }
}

/** Checks the rules for every document that is stored. */
export function checkStored(document: Document, bytes: Buffer): void {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    fail(
      'BadValue',
      `object to insert too large. size in bytes: ${bytes.length}, max size: ${MAX_DOCUMENT_BYTES}`,
    );
  }
  const id = document.get('_id') as Value;
  if (Array.isArray(id) || id instanceof Regex || id === UNDEFINED) {
    fail('InvalidIdField', `The '_id' value cannot be of type ${typeName(id)}`);
  }
  if (!(id instanceof Map)) return;
  for (const name of id.keys()) {
    if (name.startsWith('$')) {
      fail(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      );
    }
  }
}

export const INSERT_COMMANDS: Commands = {
  insert: { writes: true, inTransaction: true, run: unitOf(insert) },
};

/** Makes a write command, whose last unit also stores the reply for retries. */
export function unitOf(
  run: (request: Request, unit: WriteUnit) => Promise<Reply>,
  alone = false,
): Commands[string]['run'] {
  return async (request) => {
    const unit = new WriteUnit(request, alone);
    try {
      const reply = (await run(request, unit)) as Document;
      request.engine.sessions.retries.remember(request, reply);
      unit.commit();
      return reply;
    } catch (error) {
      unit.rollback(error);
      throw error;
    }
  };
}

import { compileExpression } from '../aggregation/expression.ts';
import { allowOnly } from '../aggregation/options.ts';
import { runUpdatePipeline } from '../aggregation/update-pipeline.ts';
import { namedValues, variablesOf } from '../aggregation/variables.ts';
import { encodeDocument } from '../bson/encode.ts';
import { pathOf, valueAt } from '../bson/path.ts';
import { StoredDocument } from '../bson/stored.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail, MongoError, missingField } from '../errors.ts';
import type { Collection } from '../storage/catalog.ts';
import { insertDocument, replaceDocument } from '../storage/documents.ts';
import { rowsOf } from '../storage/query.ts';
import { PORTION_MS } from '../storage/scan.ts';
import { StagedCollection } from '../storage/staged-collection.ts';
import { withId } from '../update/upsert.ts';
import { checkNamespace, checkStored, checkUpdatedSize, collectionFor } from './insert.ts';
import type { Request } from './request.ts';
import { WriteUnit } from './write-unit.ts';

export const LAST_STAGES: readonly string[] = ['$out', '$merge'];

/** Runs $out or $merge with the encoded documents of the pipeline. */
export async function writeOutput(
  request: Request,
  name: string,
  argument: Value,
  documents: readonly Buffer[],
): Promise<void> {
  if (request.context.transaction) {
    fail('OperationNotSupportedInTransaction', `${name} cannot be used in a transaction`);
  }
  const unit = new WriteUnit(request, name === '$out');
  await unit.begin();
  try {
    if (name === '$out') await out(request, unit, argument, documents);
    else await merge(request, unit, argument, documents);
    unit.commit();
  } catch (error) {
    unit.rollback(error);
    throw error;
  }
}

function targetOf(request: Request, target: Value | undefined): string {
  if (typeof target === 'string') return `${request.database}.${target}`;
  if (!isDocument(target)) return fail(16990, 'expected a string or an object as the target');
  allowOnly(target, ['db', 'coll'], 40415, '$out and $merge');
  const [db, coll] = [target.get('db') ?? request.database, target.get('coll')];
  if (typeof coll !== 'string' || typeof db !== 'string')
    return fail('TypeMismatch', "The fields 'db' and 'coll' of $out and $merge must be strings");
  return `${db}.${coll}`;
}

function insert(request: Request, collection: Collection, document: Document): void {
  const whole = withId(document);
  const bytes = encodeDocument(whole);
  checkStored(whole, bytes);
  insertDocument(request.context, collection, bytes, whole);
}

/**
 * Replaces a collection by new documents. Its indexes stay. The documents are inserted into another collection in
 * portions, which takes the place of the first at the end.
 */
async function out(
  request: Request,
  unit: WriteUnit,
  argument: Value,
  documents: readonly Buffer[],
): Promise<void> {
  const { context, deadline, durable } = request;
  const { store, sessions, leftovers } = request.engine;
  if (isDocument(argument) && !argument.has('db')) missingField('$out.db');
  const staged = new StagedCollection(store, context, checkNamespace(targetOf(request, argument)));
  unit.commit();
  try {
    for (let at = 0; at < documents.length; await request.rest()) {
      await sessions.portion(
        context,
        () => {
          at = insertSome(request, staged.collection, documents, at);
        },
        { deadline },
      );
    }
    await sessions.portion(context, () => staged.replaceTarget(context), { deadline, durable });
  } catch (error) {
    leftovers.add(staged.tables);
    throw error;
  }
  leftovers.start();
}

/** Inserts documents from `start` on for the time of a portion. Returns where the next portion starts. */
function insertSome(
  request: Request,
  collection: Collection,
  documents: readonly Buffer[],
  start: number,
): number {
  const end = performance.now() + PORTION_MS;
  let at = start;
  do insert(request, collection, new StoredDocument(documents[at++] as Buffer));
  while (at < documents.length && performance.now() < end);
  return at;
}

const MERGE = ['into', 'on', 'let', 'whenMatched', 'whenNotMatched'];
const WHEN_MATCHED = ['merge', 'replace', 'keepExisting', 'fail'];
const WHEN_NOT_MATCHED = ['insert', 'discard', 'fail'];

/** Checks the specification of a $merge, also when there are no documents to merge. */
function mergeOf(argument: Value): Document {
  const spec = isDocument(argument) ? argument : toDocument({ into: argument });
  allowOnly(spec, MERGE, 40415, '$merge');
  const [yes, no] = [spec.get('whenMatched') ?? 'merge', spec.get('whenNotMatched') ?? 'insert'];
  if (Array.isArray(yes)) runUpdatePipeline(yes, variablesOf(), undefined);
  else if (!WHEN_MATCHED.includes(String(yes))) notAnOption('whenMatched', yes);
  if (!WHEN_NOT_MATCHED.includes(String(no))) notAnOption('whenNotMatched', no);
  return spec;
}

const notAnOption = (field: string, value: Value): never =>
  fail(
    'BadValue',
    `Enumeration value '${String(value)}' for field '${field}' is not a valid value.`,
  );

/** Merges documents into a collection in portions. As in MongoDB, those before an error stay merged. */
async function merge(
  request: Request,
  unit: WriteUnit,
  argument: Value,
  documents: readonly Buffer[],
): Promise<void> {
  const spec = mergeOf(argument);
  const namespace = targetOf(request, spec.get('into'));
  const on = spec.get('on') ?? '_id';
  const names = (Array.isArray(on) ? on : [on]).map(String);
  const known = request.engine.store.collection(request.context, namespace);
  const unique = known?.indexes.filter((index) => index.unique) ?? [];
  const keys = known ? unique.map(({ generator }) => [...generator.names].sort().join()) : ['_id'];
  if (!keys.includes([...names].sort().join()))
    fail(51183, 'Cannot find index to verify that join fields will be unique');
  if (documents.length === 0) return;
  const collection = known ?? collectionFor(request, namespace);
  for (const bytes of documents) {
    mergeOne(request, collection, spec, names, new StoredDocument(bytes));
    if (unit.isDue) await unit.pause();
  }
}

function mergeOne(
  request: Request,
  collection: Collection,
  spec: Document,
  names: readonly string[],
  given: Document,
): void {
  const document = withId(given);
  const filter = new Map(
    names.map((name) => [name, new Map([['$eq', valueAt(document, pathOf(name)) ?? null]])]),
  );
  const [row] = rowsOf(request.context, collection, { filter, limit: 1 }).pull(1);
  if (!row) {
    notMatched(request, collection, spec.get('whenNotMatched') ?? 'insert', document);
    return;
  }
  const { rid, document: before } = row;
  const after = matched(spec, before, document, given.has('_id'));
  if (!after) return;
  const bytes = encodeDocument(after);
  checkUpdatedSize(bytes);
  replaceDocument(request.context, collection, rid, before, after, bytes);
}

function notMatched(
  request: Request,
  collection: Collection,
  mode: Value,
  document: Document,
): void {
  if (mode === 'insert') insert(request, collection, document);
  else if (mode === 'fail')
    fail(
      'MergeStageNoMatchingDocument',
      '$merge could not find a matching document in the target collection for at least one document in the source collection',
    );
}

/** Merges a document into the target's document. Returns undefined when the target's document stays unchanged. */
function matched(
  spec: Document,
  before: Document,
  document: Document,
  ownId: boolean,
): Document | undefined {
  const mode = spec.get('whenMatched') ?? 'merge';
  const id = before.get('_id') as Value;
  if (
    ownId &&
    !encodeDocument(new Map([['i', id]])).equals(
      encodeDocument(new Map([['i', document.get('_id') as Value]])),
    )
  ) {
    fail(
      'ImmutableField',
      '$merge failed to update the matching document, did you attempt to modify the _id?',
    );
  }
  if (Array.isArray(mode)) {
    const definitions = spec.get('let');
    const base = variablesOf();
    const values = isDocument(definitions)
      ? namedValues(definitions, compileExpression, base.withRoot(document))
      : [];
    const variables = base.with([['new', document], ...values]);
    return withId(runUpdatePipeline(mode, variables, undefined)(before), id);
  }
  switch (mode) {
    case 'merge':
      return withId(new Map([...before, ...document]), id);
    case 'replace':
      return withId(document, id);
    case 'keepExisting':
      return undefined;
    case 'fail':
      throw new MongoError(
        'DuplicateKey',
        'E11000 duplicate key error: $merge found a matching document',
      );
  }
  return notAnOption('whenMatched', mode);
}

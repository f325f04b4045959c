import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { listed } from '../sessions/cursors.ts';
import type { Collection, Index } from '../storage/catalog.ts';
import { batchSizeOf } from './cursors.ts';
import { specOf } from './index-spec.ts';
import { collectionFor, unitOf } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';
import type { WriteUnit } from './write-unit.ts';

const MAX_INDEXES = 64;

async function createIndexes(request: Request, unit: WriteUnit): Promise<Reply> {
  request.allow('indexes', 'commitQuorum', 'ignoreUnknownIndexOptions');
  const { namespace } = request;
  const specs = request.documents('indexes').map(specOf);
  if (specs.length === 0) fail('BadValue', 'Must specify at least one index to create');
  await unit.begin();
  const existed = request.collection !== undefined;
  const collection = collectionFor(request, namespace);
  const before = collection.indexes.length;
  for (const spec of specs) {
    if (isKnown(collection, spec)) continue;
    if (request.context.transaction && collection.owner !== request.context.transaction) {
      fail(
        'OperationNotSupportedInTransaction',
        `Cannot create new indexes on existing collection ${namespace} in a multi-document transaction.`,
      );
    }
    if (collection.indexes.length >= MAX_INDEXES)
      fail('CannotCreateIndex', `add index fails, too many indexes for ${namespace}`);
    request.engine.store.createIndex(request.context, collection, spec);
  }
  const after = collection.indexes.length;
  return toDocument({
    numIndexesBefore: existed ? before : 0,
    numIndexesAfter: after,
    createdCollectionAutomatically: !existed,
    note: after === before ? 'all indexes already exist' : undefined,
  });
}

/**
 * Tells whether the same index exists. Throws for another index of the same name, and for the same index with another
 * name. Indexes with the same key differ by `unique`, `sparse` and the filter.
 */
function isKnown(collection: Collection, spec: Document): boolean {
  const key = spec.get('key') as Document;
  if (sameKey(key, new Map([['_id', 1]]))) return true;
  const named = collection.index(String(spec.get('name')));
  const asked = `Requested index: ${show(spec)}, existing index: `;
  if (named) {
    if (!sameIndex(named, spec)) {
      fail(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${asked}${show(named.spec)}`,
      );
    }
    if (sameExpiry(named, spec)) return true;
    fail(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. ${asked}${show(named.spec)}`,
    );
  }
  const other = collection.indexes.find((index) => sameIndex(index, spec));
  if (!other) return false;
  return fail(
    'IndexOptionsConflict',
    sameExpiry(other, spec)
      ? `Index already exists with a different name: ${other.name}`
      : `An equivalent index already exists with a different name and options. ${asked}${show(other.spec)}`,
  );
}

const sameOption =
  (option: string) =>
  ({ spec }: Index, wanted: Document): boolean =>
    equalValues(spec.get(option) ?? null, wanted.get(option) ?? null);

const sameExpiry = sameOption('expireAfterSeconds');

const sameIndex = (index: Index, wanted: Document): boolean =>
  sameKey(index.key, wanted.get('key') as Document) &&
  ['unique', 'sparse', 'partialFilterExpression'].every((option) =>
    sameOption(option)(index, wanted),
  );

const sameKey = (a: Document, b: Document): boolean => equalValues(a, b);

async function dropIndexes(request: Request, unit: WriteUnit): Promise<Reply> {
  request.allow('index');
  await unit.begin();
  const { collection } = request;
  if (!collection) return fail('NamespaceNotFound', `ns not found ${request.namespace}`);
  const nIndexesWas = collection.indexes.length;
  const wanted = request.get('index');
  for (const one of Array.isArray(wanted) ? wanted : [wanted]) {
    for (const index of chosen(collection, one))
      request.engine.store.dropIndex(request.context, collection, index);
  }
  return toDocument({ nIndexesWas });
}

function chosen(collection: Collection, wanted: Value | undefined): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => !index.isId());
  const [index, another] = collection.indexes.filter(({ name, key }) =>
    isDocument(wanted) ? sameKey(key, wanted) : name === wanted,
  );
  if (another)
    fail('AmbiguousIndexKeyPattern', `${show(wanted)} is the key of several indexes; name one`);
  if (!index) return fail('IndexNotFound', `index not found with name [${show(wanted)}]`);
  return index.isId() ? fail('InvalidOptions', 'cannot drop _id index') : [index];
}

function listIndexes(request: Request): Promise<Reply> {
  request.allow('cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo');
  const { collection, namespace } = request;
  if (!collection) return fail('NamespaceNotFound', `ns does not exist: ${namespace}`);
  const documents = collection.indexes.map(({ spec }) => encodeDocument(spec));
  return request.engine.cursors.first(
    request,
    listed(documents),
    batchSizeOf(request, Number.POSITIVE_INFINITY),
    namespace,
  );
}

const dropping: Commands[string] = { writes: true, run: unitOf(dropIndexes, true) };

export const INDEX_COMMANDS: Commands = {
  createIndexes: { writes: true, inTransaction: true, run: unitOf(createIndexes, true) },
  dropIndexes: dropping,
  deleteIndexes: dropping,
  listIndexes: { run: listIndexes },
};

import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { show } from '../bson/show.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail, indexBuildRuns } from '../errors.ts';
import { listed } from '../sessions/cursors.ts';
import type { Collection, Index } from '../storage/catalog.ts';
import { IndexBuild } from '../storage/index-build.ts';
import { isSmallTable } from '../storage/leftovers.ts';
import { batchSizeOf } from './cursors.ts';
import { specOf, withoutUnknownOptions } from './index-spec.ts';
import { collectionFor, unitOf } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';
import type { WriteUnit } from './write-unit.ts';

const MAX_INDEXES = 64;

/** An index that exists or that an earlier specification of the same command asks for. */
type KnownIndex = Pick<Index, 'name' | 'key' | 'spec'>;

async function createIndexes(request: Request, unit: WriteUnit): Promise<Reply> {
  const given = request.documents('indexes');
  const ignores = request.flag('ignoreUnknownIndexOptions');
  const specs = (ignores ? given.map(withoutUnknownOptions) : given).map(specOf);
  if (specs.length === 0) fail('BadValue', 'Must specify at least one index to create');
  await unit.begin();
  const existed = request.collection !== undefined;
  const collection = await withoutBuild(request, unit, specs);
  const before = collection.indexes.length;
  const wanted = unknownOf(request, collection, specs);
  if (wanted.length > 0) await makeIndexes(request, unit, collection, wanted);
  return toDocument({
    numIndexesBefore: before,
    numIndexesAfter: collection.indexes.length,
    createdCollectionAutomatically: !existed,
    note: wanted.length === 0 ? 'all indexes already exist' : undefined,
  });
}

/** Returns the collection once no other build runs in it. If the indexes exist, there is no need to wait. */
async function withoutBuild(
  request: Request,
  unit: WriteUnit,
  specs: readonly Document[],
): Promise<Collection> {
  for (;;) {
    const collection = collectionFor(request, request.namespace);
    const { build } = collection;
    if (!build || unknownOf(request, collection, specs).length === 0) return collection;
    unit.commit();
    await request.until(build.ended);
    await unit.begin();
  }
}

/** Returns the specifications of the indexes that do not exist. Throws for those that may not be made. */
function unknownOf(
  request: Request,
  collection: Collection,
  specs: readonly Document[],
): Document[] {
  const { transaction } = request.context;
  const known: KnownIndex[] = [...collection.indexes];
  const wanted = specs.filter((spec) => {
    if (isKnown(known, spec)) {
      if (known.length > collection.indexes.length && !isKnown(collection.indexes, spec))
        fail('IndexAlreadyExists', `Identical index already exists: ${spec.get('name')}`);
      return false;
    }
    if (known.length >= MAX_INDEXES)
      fail('CannotCreateIndex', `add index fails, too many indexes for ${collection.namespace}`);
    known.push({ name: String(spec.get('name')), key: spec.get('key') as Document, spec });
    return true;
  });
  if (wanted.length > 0 && transaction && collection.owner !== transaction) {
    fail(
      'OperationNotSupportedInTransaction',
      `Cannot create new indexes on existing collection ${collection.namespace} in a multi-document transaction.`,
    );
  }
  return wanted;
}

/** Makes indexes of a small collection at once, and of a large one in portions, between which others write. */
async function makeIndexes(
  request: Request,
  unit: WriteUnit,
  collection: Collection,
  specs: readonly Document[],
): Promise<void> {
  const { context, engine } = request;
  const { store } = engine;
  if (context.transaction || isSmallTable(context.connection, collection.table)) {
    for (const spec of specs) store.createIndex(context, collection, spec);
    return;
  }
  const build = new IndexBuild(store, context, collection, specs);
  unit.commit();
  try {
    await advance(request, build);
  } catch (error) {
    collection.build = undefined;
    engine.leftovers.add(build.tables);
    throw error;
  } finally {
    build.end();
  }
}

/** Does all portions of a build. The last one finishes the build, so that nobody writes before its end. */
async function advance(request: Request, build: IndexBuild): Promise<void> {
  const { context, engine, deadline, durable } = request;
  const { sessions } = engine;
  for (;;) {
    while (!(await sessions.portion(context, () => build.advance(context), { deadline })))
      await request.rest();
    if (await sessions.portion(context, () => build.finish(context), { deadline, durable })) return;
  }
}

/**
 * Tells whether the same index exists. Throws for another index of the same name, and for the same index with another
 * name. Indexes with the same key differ by `unique`, `sparse` and the filter.
 */
function isKnown(indexes: readonly KnownIndex[], spec: Document): boolean {
  const key = spec.get('key') as Document;
  if (sameKey(key, new Map([['_id', 1]]))) return true;
  const named = indexes.find(({ name }) => name === spec.get('name'));
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
  const other = indexes.find((index) => sameIndex(index, spec));
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
  ({ spec }: KnownIndex, wanted: Document): boolean =>
    equalValues(spec.get(option) ?? null, wanted.get(option) ?? null);

const sameExpiry = sameOption('expireAfterSeconds');

const sameIndex = (index: KnownIndex, wanted: Document): boolean =>
  sameKey(index.key, wanted.get('key') as Document) &&
  ['unique', 'sparse', 'partialFilterExpression'].every((option) =>
    sameOption(option)(index, wanted),
  );

const sameKey = (a: Document, b: Document): boolean => equalValues(a, b);

async function dropIndexes(request: Request, unit: WriteUnit): Promise<Reply> {
  await unit.begin();
  const { collection } = request;
  if (!collection) return fail('NamespaceNotFound', `ns not found ${request.namespace}`);
  const nIndexesWas = collection.indexes.length;
  const wanted = request.get('index');
  const all = Array.isArray(wanted) ? wanted : [wanted];
  for (const one of abortBuild(request, collection, all)) {
    for (const index of chosen(collection, one))
      request.engine.store.dropIndex(request.context, collection, index);
  }
  return toDocument({ nIndexesWas });
}

/** Ends the build of indexes that are to be dropped. Returns which indexes besides these are to be dropped. */
function abortBuild({ context }: Request, collection: Collection, wanted: Wanted[]): Wanted[] {
  const { build, namespace } = collection;
  if (!build) return wanted;
  const isBuilt = (one: Wanted): boolean => build.specs.some((spec) => isNamed(spec, one));
  const names = wanted.filter(isBuilt);
  const isAll = wanted.includes('*');
  if (names.length === 0 && !isAll) return wanted;
  if (names.length < build.specs.length && !isAll) throw indexBuildRuns(namespace);
  build.abort(context, 'Index build failed :: caused by :: dropIndexes command');
  return wanted.filter((one) => !isBuilt(one));
}

/** The name or the key of an index to drop. */
type Wanted = Value | undefined;

const isNamed = (spec: Document, wanted: Wanted): boolean =>
  isDocument(wanted) ? sameKey(spec.get('key') as Document, wanted) : spec.get('name') === wanted;

function chosen(collection: Collection, wanted: Wanted): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => !index.isId());
  const [index, another] = collection.indexes.filter(({ spec }) => isNamed(spec, wanted));
  if (another)
    fail('AmbiguousIndexKeyPattern', `${show(wanted)} is the key of several indexes; name one`);
  if (!index) return fail('IndexNotFound', `index not found with name [${show(wanted)}]`);
  return index.isId() ? fail('InvalidOptions', 'cannot drop _id index') : [index];
}

function listIndexes(request: Request): Promise<Reply> {
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

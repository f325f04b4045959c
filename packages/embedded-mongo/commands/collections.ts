import { encodeDocument } from '../bson/encode.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail, indexBuildRuns, unsupported } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { listed } from '../sessions/cursors.ts';
import { type Collection, databaseOf, ID_INDEX } from '../storage/catalog.ts';
import { batchSizeOf } from './cursors.ts';
import { checkIdIndex } from './index-spec.ts';
import { checkNamespace, unitOf } from './insert.ts';
import type { Commands, Reply, Request } from './request.ts';
import type { WriteUnit } from './write-unit.ts';

const nameOf = ({ namespace }: Collection): string => namespace.slice(namespace.indexOf('.') + 1);

/** Options that need another option of a kind of collection. Given alone they are invalid. */
const ALONE: Record<string, string> = {
  size: 'capped',
  max: 'capped',
  pipeline: 'viewOn',
  expireAfterSeconds: 'timeseries',
};
/** Options that this engine does not support. */
const REFUSED = [
  'storageEngine',
  'indexOptionDefaults',
  'validationLevel',
  'validationAction',
  'temp',
  'viewOn',
  'capped',
  'timeseries',
  'validator',
  'clusteredIndex',
  'encryptedFields',
  'changeStreamPreAndPostImages',
  'recordPreImages',
];

async function create(request: Request, unit: WriteUnit): Promise<Reply> {
  for (const option of REFUSED) {
    const value = request.get(option);
    if (value !== undefined && value !== false && !(value instanceof Map && value.size === 0))
      unsupported(`create with '${option}'`);
  }
  for (const [option, needed] of Object.entries(ALONE))
    if (request.get(option) !== undefined)
      fail('InvalidOptions', `'${option}' requires '${needed}' to also be specified`);
  checkIdOptions(request);
  const { namespace } = request;
  await unit.begin();
  if (request.collection) fail('NamespaceExists', `Collection ${namespace} already exists.`);
  request.engine.store.createCollection(request.context, checkNamespace(namespace));
  return new Map();
}

/** Checks the options of the _id index, which every collection has in one form. */
function checkIdOptions(request: Request): void {
  const spec = request.get('idIndex');
  if (isDocument(spec)) checkIdIndex(spec);
}

async function drop(request: Request, unit: WriteUnit): Promise<Reply> {
  await unit.begin();
  const { collection } = request;
  if (!collection) return new Map();
  const nIndexesWas = collection.indexes.length;
  request.engine.store.dropCollection(request.context, collection);
  return toDocument({ nIndexesWas, ns: collection.namespace });
}

async function dropDatabase(request: Request, unit: WriteUnit): Promise<Reply> {
  const { store } = request.engine;
  await unit.begin();
  for (const collection of store.collections(request.context)) {
    if (databaseOf(collection.namespace) === request.database)
      store.dropCollection(request.context, collection);
  }
  return toDocument({ dropped: request.database });
}

async function rename(request: Request, unit: WriteUnit): Promise<Reply> {
  const { store } = request.engine;
  const [from, to] = [request.get('renameCollection'), request.get('to')];
  if (typeof from !== 'string' || typeof to !== 'string' || !to.includes('.')) {
    return fail('InvalidNamespace', 'Invalid namespace specified for renameCollection');
  }
  await unit.begin();
  const source = store.collection(request.context, from);
  if (!source) return fail('NamespaceNotFound', `Source collection ${from} does not exist`);
  const target = store.collection(request.context, checkNamespace(to));
  if (source === target) fail('IllegalOperation', "Can't rename a collection to itself");
  if (target && !request.flag('dropTarget')) fail('NamespaceExists', 'target namespace exists');
  for (const one of [source, target]) if (one?.build) throw indexBuildRuns(one.namespace);
  if (target) store.dropCollection(request.context, target);
  store.renameCollection(request.context, source, to);
  return new Map();
}

function describe(collection: Collection, nameOnly: boolean): Document {
  const name = nameOf(collection);
  if (nameOnly) return toDocument({ name, type: 'collection' });
  return toDocument({
    name,
    type: 'collection',
    options: collection.options,
    info: { readOnly: false },
    idIndex: ID_INDEX,
  });
}

function listCollections(request: Request): Promise<Reply> {
  const matches = compileFilter(request.object('filter'));
  const documents = request.engine.store
    .collections(request.context)
    .filter(({ namespace }) => databaseOf(namespace) === request.database)
    .map((collection) => ({ collection, whole: describe(collection, false) }))
    .filter(({ whole }) => matches(whole))
    .map(({ collection }) => encodeDocument(describe(collection, request.flag('nameOnly'))));
  return request.engine.cursors.first(
    request,
    listed(documents),
    batchSizeOf(request, Number.POSITIVE_INFINITY),
    `${request.database}.$cmd.listCollections`,
  );
}

function listDatabases(request: Request): Reply {
  const matches = compileFilter(request.object('filter'));
  const names = new Set(
    request.engine.store.collections(request.context).map(({ namespace }) => databaseOf(namespace)),
  );
  const databases = [...names]
    .sort()
    .map((name) => toDocument(request.flag('nameOnly') ? { name } : { name, empty: false }))
    .filter(matches);
  return new Map<string, Value>([['databases', databases]]);
}

/** Runs collMod. Its table of fields refuses the options that would have an effect; all others have none. */
function collMod(request: Request): Reply {
  if (!request.collection) fail('NamespaceNotFound', `ns does not exist: ${request.namespace}`);
  return new Map();
}

export const COLLECTION_COMMANDS: Commands = {
  create: { writes: true, inTransaction: true, run: unitOf(create, true) },
  drop: { writes: true, run: unitOf(drop, true) },
  dropDatabase: { writes: true, run: unitOf(dropDatabase, true) },
  renameCollection: { writes: true, run: unitOf(rename, true) },
  listCollections: { run: listCollections },
  listDatabases: { run: listDatabases },
  collMod: { writes: true, run: collMod },
};

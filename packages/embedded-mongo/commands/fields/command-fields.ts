import { isDocument } from '../../bson/values.ts';
import { COMMIT_QUORUM } from './commit-quorum.ts';
import {
  ANY,
  ARRAY,
  BOOL,
  COLLATION,
  COUNT,
  COUNT_LIMIT,
  COUNT_SKIP,
  checkFields,
  type Field,
  type FieldTable,
  fieldTable,
  HINT,
  LONG,
  NUMBER,
  OBJECT,
  refused,
  required,
  SAFE_BOOL,
  STRING,
  unstable,
} from './fields.ts';
import { AGGREGATE_MAX_TIME, GENERIC } from './generic-fields.ts';

type Fields = { [field: string]: Field };

const table = (name: string, fields: Fields): [string, FieldTable] => [
  name,
  fieldTable(name, { [name]: ANY, ...GENERIC, ...fields }),
];

/** Gives the table of a command to another name of the command. */
const alias = (
  name: string,
  [, { fields, ...rest }]: [string, FieldTable],
): [string, FieldTable] => [
  name,
  { ...rest, fields: new Map([...fields, [name, { path: name }]]) },
];

const COLLECTION_UUID = unstable(refused('The option collectionUUID'));
const CURSOR_OPTIONS = fieldTable('cursor', { batchSize: COUNT });
const CURSOR: Field = {
  check(value, path) {
    OBJECT.check?.(value, path);
    if (isDocument(value)) checkFields(CURSOR_OPTIONS, value);
  },
};

/** Makes fields that MongoDB knows and this engine does not support, beside those of `command`. */
const refusedIn = (command: string, ...names: string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, unstable(refused(`${command} with '${name}'`))]));

const WRITE: Fields = { ordered: BOOL, bypassDocumentValidation: SAFE_BOOL };
const KEEPS_EMPTY_TIMESTAMPS: Fields = {
  bypassEmptyTsReplacement: refused('The option bypassEmptyTsReplacement'),
};

const FIND_AND_MODIFY = table('findAndModify', {
  query: OBJECT,
  fields: OBJECT,
  sort: OBJECT,
  hint: HINT,
  collation: COLLATION,
  arrayFilters: ARRAY,
  remove: SAFE_BOOL,
  update: ANY,
  upsert: SAFE_BOOL,
  new: SAFE_BOOL,
  bypassDocumentValidation: SAFE_BOOL,
  let: OBJECT,
  ...KEEPS_EMPTY_TIMESTAMPS,
});
const DROP_INDEXES = table('dropIndexes', {
  index: required(ANY),
  collectionUUID: COLLECTION_UUID,
});
const DB_STATS = table('dbStats', { scale: NUMBER, freeStorage: SAFE_BOOL });
const COLL_STATS = table('collStats', {
  scale: NUMBER,
  verbose: SAFE_BOOL,
  waitForLock: SAFE_BOOL,
  numericOnly: SAFE_BOOL,
});
/** The fields of each command. MongoDB checks no fields of the commands that are not here. */
export const COMMAND_FIELDS: ReadonlyMap<string, FieldTable> = new Map([
  table('abortTransaction', {}),
  table('aggregate', {
    pipeline: required(ANY),
    cursor: CURSOR,
    hint: HINT,
    collation: COLLATION,
    let: OBJECT,
    allowDiskUse: BOOL,
    bypassDocumentValidation: SAFE_BOOL,
    maxTimeMS: AGGREGATE_MAX_TIME,
    collectionUUID: COLLECTION_UUID,
    ...refusedIn('aggregate', 'explain', 'fromMongos', 'needsMerge', 'exchange'),
  }),
  table('collMod', {
    viewOn: STRING,
    pipeline: ARRAY,
    validationLevel: STRING,
    validationAction: STRING,
    index: refused("collMod of 'index'"),
    validator: refused("collMod of 'validator'"),
    expireAfterSeconds: refused("collMod of 'expireAfterSeconds'"),
    timeseries: refused("collMod of 'timeseries'"),
    ...refusedIn('collMod', 'changeStreamPreAndPostImages', 'dryRun', 'recordPreImages'),
  }),
  COLL_STATS,
  alias('collstats', COLL_STATS),
  table('commitTransaction', { commitTimestamp: ANY, recoveryToken: OBJECT }),
  table('connectionStatus', { showPrivileges: BOOL }),
  table('count', {
    query: OBJECT,
    limit: COUNT_LIMIT,
    skip: COUNT_SKIP,
    hint: HINT,
    collation: COLLATION,
    fields: ANY,
  }),
  table('create', {
    bucketSize: ANY,
    capped: SAFE_BOOL,
    changeStreamPreAndPostImages: OBJECT,
    clusteredIndex: ANY,
    collation: COLLATION,
    encryptedFields: OBJECT,
    expireAfterSeconds: ANY,
    idIndex: OBJECT,
    indexOptionDefaults: OBJECT,
    max: NUMBER,
    pipeline: ARRAY,
    recordPreImages: SAFE_BOOL,
    size: NUMBER,
    storageEngine: OBJECT,
    temp: SAFE_BOOL,
    timeseries: OBJECT,
    validationAction: STRING,
    validationLevel: STRING,
    validator: OBJECT,
    viewOn: STRING,
  }),
  table('createIndexes', {
    indexes: required(ARRAY),
    v: NUMBER,
    ignoreUnknownIndexOptions: unstable(SAFE_BOOL),
    commitQuorum: COMMIT_QUORUM,
    returnOnStart: unstable(BOOL),
    collectionUUID: COLLECTION_UUID,
  }),
  DB_STATS,
  alias('dbstats', DB_STATS),
  table('delete', { ...WRITE, deletes: ARRAY, let: OBJECT }),
  table('distinct', {
    key: required(STRING),
    query: OBJECT,
    collation: COLLATION,
  }),
  table('drop', { collectionUUID: COLLECTION_UUID }),
  table('dropDatabase', {}),
  DROP_INDEXES,
  alias('deleteIndexes', DROP_INDEXES),
  table('endSessions', {}),
  table('explain', { verbosity: STRING }),
  table('find', {
    filter: OBJECT,
    projection: OBJECT,
    sort: OBJECT,
    hint: HINT,
    collation: COLLATION,
    skip: COUNT,
    limit: COUNT,
    batchSize: COUNT,
    ntoreturn: unstable(COUNT),
    singleBatch: BOOL,
    allowDiskUse: BOOL,
    allowPartialResults: BOOL,
    noCursorTimeout: unstable(BOOL),
    let: OBJECT,
    collectionUUID: COLLECTION_UUID,
    ...refusedIn('find', 'tailable', 'awaitData', 'min', 'max', 'returnKey', 'showRecordId'),
    ...refusedIn('find', 'oplogReplay', 'readOnce', '$_requestResumeToken', '$_resumeAfter'),
  }),
  FIND_AND_MODIFY,
  alias('findandmodify', FIND_AND_MODIFY),
  table('getMore', { collection: required(STRING), batchSize: COUNT, term: unstable(LONG) }),
  table('insert', { ...WRITE, documents: ARRAY, bypassEmptyTsReplacement: SAFE_BOOL }),
  table('killCursors', { cursors: required(ARRAY) }),
  table('listCollections', {
    filter: OBJECT,
    nameOnly: BOOL,
    cursor: CURSOR,
    authorizedCollections: BOOL,
    includePendingDrops: unstable(SAFE_BOOL),
  }),
  table('listDatabases', { filter: OBJECT, nameOnly: SAFE_BOOL, authorizedDatabases: BOOL }),
  table('listIndexes', {
    cursor: CURSOR,
    includeBuildUUIDs: unstable(SAFE_BOOL),
    includeIndexBuildInfo: unstable(refused("listIndexes with 'includeIndexBuildInfo'")),
  }),
  table('ping', {}),
  table('refreshSessions', {}),
  table('renameCollection', {
    to: required(STRING),
    dropTarget: BOOL,
    stayTemp: BOOL,
    collectionUUID: COLLECTION_UUID,
  }),
  table('update', { ...WRITE, ...KEEPS_EMPTY_TIMESTAMPS, updates: ARRAY, let: OBJECT }),
]);

import type { Literal } from '../../bson/values.ts';
import type { Fields } from './helper.ts';

/** The name of an option, the code by which it is refused (0: it works) and a command with the option. */
type Option = [string, number, Fields];

const create = (option: string, value: Literal, code = 238): Option => [
  option,
  code,
  { create: 'd', [option]: value },
];

const CREATE_OPTIONS: Option[] = [
  ['collation', 0, { create: 'd', collation: { locale: 'simple' } }],
  ['writeConcern', 0, { create: 'd', writeConcern: { w: 'majority' } }],
  ['comment', 0, { create: 'd', comment: 'why' }],
  create('capped', true),
  create('timeseries', { timeField: 't' }),
  create('clusteredIndex', { key: { _id: 1 }, unique: true }),
  create('changeStreamPreAndPostImages', { enabled: true }),
  create('storageEngine', { wiredTiger: {} }),
  create('validator', { n: 1 }),
  create('validationLevel', 'strict'),
  create('validationAction', 'warn'),
  create('indexOptionDefaults', { storageEngine: {} }),
  create('viewOn', 'c'),
  create('collation', { locale: 'de' }),
  create('encryptedFields', { fields: [] }),
  create('temp', true),
  ['idIndex', 0, { create: 'd', idIndex: { key: { _id: 1 }, name: '_id_' } }],
  create('expireAfterSeconds', 5, 72),
  create('size', 5, 72),
  create('max', 5, 72),
  create('pipeline', [], 72),
  create('nope', 1, 40415),
];

const index = (option: string, value: Literal, code: number): Option => [
  option,
  code,
  { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'i', [option]: value }] },
];
const key = (type: Literal, name = String(type)): Option => [
  name,
  67,
  { createIndexes: 'c', indexes: [{ key: { x: type }, name: 'i' }] },
];

const INDEX_OPTIONS: Option[] = [
  index('unique', false, 0),
  index('sparse', true, 0),
  index('partialFilterExpression', { n: { $gt: 1 } }, 0),
  index('expireAfterSeconds', 5, 0),
  index('background', true, 0),
  index('v', 2, 0),
  index('collation', { locale: 'simple' }, 0),
  index('hidden', false, 0),
  index('hidden', true, 67),
  index('collation', { locale: 'de' }, 238),
  index('storageEngine', { wiredTiger: {} }, 67),
  index('prepareUnique', true, 67),
  index('v', 0, 67),
  index('v', 3, 67),
  index('weights', { n: 1 }, 67),
  index('default_language', 'en', 67),
  index('language_override', 'l', 67),
  index('textIndexVersion', 3, 67),
  index('2dsphereIndexVersion', 3, 67),
  index('bits', 26, 67),
  index('min', -180, 67),
  index('max', 180, 67),
  index('bucketSize', 1, 67),
  index('wildcardProjection', { n: 1 }, 67),
  index('dropDups', true, 0),
  index('nope', 1, 197),
  key('text'),
  key('2d'),
  key('2dsphere'),
  key('geoHaystack'),
  key('hashed'),
  key('nope'),
  ['wildcard', 67, { createIndexes: 'c', indexes: [{ key: { '$**': 1 }, name: 'i' }] }],
  ['wildcard', 67, { createIndexes: 'c', indexes: [{ key: { 'a.$**': 1 }, name: 'i' }] }],
];

const find = (option: string, value: Literal, code = 0): Option => [
  option,
  code,
  { find: 'c', [option]: value },
];

const FIND_OPTIONS: Option[] = [
  find('filter', { n: 5 }),
  find('sort', { n: 1 }),
  find('projection', { n: 1 }),
  find('hint', '_id_'),
  find('skip', 1),
  find('limit', 1),
  find('batchSize', 1),
  find('singleBatch', true),
  find('comment', { any: 1 }),
  find('maxTimeMS', 1000),
  find('readConcern', { level: 'local' }),
  find('noCursorTimeout', true),
  find('allowPartialResults', true),
  find('collation', { locale: 'simple' }),
  find('allowDiskUse', true),
  find('let', { x: 1 }),
  find('max', { _id: 1 }, 238),
  find('min', { _id: 1 }, 238),
  find('returnKey', true, 238),
  find('showRecordId', true, 238),
  find('tailable', true, 238),
  find('awaitData', true, 238),
  find('oplogReplay', true, 238),
  find('collation', { locale: 'de' }, 238),
  find('snapshot', true, 40415),
  find('maxScan', 1, 40415),
  find('nope', 1, 40415),
];

const aggregate = (option: string, value: Literal, code = 0): Option => [
  option,
  code,
  { aggregate: 'c', pipeline: [], cursor: {}, [option]: value },
];

const AGGREGATE_OPTIONS: Option[] = [
  aggregate('cursor', { batchSize: 1 }),
  aggregate('allowDiskUse', true),
  aggregate('maxTimeMS', 1000),
  aggregate('bypassDocumentValidation', true),
  aggregate('readConcern', { level: 'majority' }),
  aggregate('collation', { locale: 'simple' }),
  aggregate('hint', { _id: 1 }),
  aggregate('comment', 'why'),
  aggregate('writeConcern', { w: 1 }),
  aggregate('let', { x: 1 }),
  aggregate('collation', { locale: 'de' }, 238),
  aggregate('nope', 1, 40415),
];

const concern = (level: string, code = 0): Option => [
  level,
  code,
  { find: 'c', readConcern: { level } },
];

const READ_CONCERNS: Option[] = [
  concern('local'),
  concern('available'),
  concern('majority'),
  concern('linearizable'),
  concern('snapshot', 238),
  concern('nope', 9),
];

/** A set of one member is its primary: all modes read from it, except `secondary`, which drivers cannot select. */
const READ_PREFERENCES = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
].map((mode): Option => [mode, 0, { find: 'c', $readPreference: { mode } }]);

const written = (name: string, writeConcern: Literal, code = 0): Option => [
  name,
  code,
  { insert: 'c', documents: [{}], writeConcern },
];

const WRITE_CONCERNS: Option[] = [
  written('w: 1', { w: 1 }),
  written('majority', { w: 'majority', wtimeout: 100 }),
  written('j', { j: true }),
  written('fsync', { fsync: true }),
  written('Not enough data-bearing nodes', { w: 2 }, 100),
  written('nope', { w: 'nope' }, 79),
];

export const OPTIONS: { [of: string]: Option[] } = {
  'options of create': CREATE_OPTIONS,
  'options of indexes': INDEX_OPTIONS,
  'options of find': FIND_OPTIONS,
  'options of aggregate': AGGREGATE_OPTIONS,
  'read concerns': READ_CONCERNS,
  'read preferences': READ_PREFERENCES,
  'write concerns': WRITE_CONCERNS,
};

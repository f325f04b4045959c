import { type Document, Double, type Literal, Regex, toDocument } from '../bson/values.ts';
import { COMMAND_FIELDS } from '../commands/fields/command-fields.ts';
import { COMMANDS } from '../commands/registry.ts';
import { lsidOf, type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

let test: TestEngine;
beforeAll(async () => {
  test = testEngine();
  await test.send({ insert: 'c', documents: [{ _id: 1, n: 5 }, { _id: 2 }] });
});
afterAll(() => test.close());

const piped = (...pipeline: Fields[]): Fields => ({ aggregate: 'c', pipeline, cursor: {} });
const removed = (statement: Fields): Fields => ({ delete: 'c', deletes: [statement] });
const updated = (statement: Fields): Fields => ({ update: 'c', updates: [statement] });

/** MongoDB checks no fields of these. Drivers of later versions send new ones with hello. */
const UNCHECKED = [
  'buildInfo',
  'buildinfo',
  'getParameter',
  'hello',
  'isMaster',
  'ismaster',
  'serverStatus',
  'startSession',
];

it('every command has a table of its fields, or is known to have none', () => {
  const missing = Object.keys(COMMANDS).filter((name) => !COMMAND_FIELDS.has(name));
  expect(missing.sort()).toEqual(UNCHECKED);
});

it.each([...COMMAND_FIELDS.keys()])(
  '%s refuses unknown fields, those of others too',
  async (name) => {
    for (const field of ['foo', 'bypassDocumentValidatio', 'singleBatchh', 'helloOk']) {
      const reply = await test.send({ [name]: 'c', [field]: 1 });
      expect(reply.get('code')).toBe(40415);
      expect(reply.get('errmsg')).toContain(`.${field}' is an unknown field.`);
    }
  },
);

it('each field that is checked refuses a regular expression', () => {
  const regex = new Regex('x', '');
  for (const [name, { fields }] of COMMAND_FIELDS) {
    for (const [field, { check, path }] of fields) {
      if (!check || field === 'collation') continue;
      expect(() => check(regex, path)).toThrow();
      if (path.startsWith(`${name}.`)) expect(path).toBe(`${name}.${field}`);
    }
  }
});

it.each<[number, string, Fields]>([
  [40415, "'find.foo' is an unknown field", { find: 'c', foo: 1 }],
  [40415, "'find.ordered' is an unknown", { find: 'c', ordered: true }],
  [40415, "'insert.let' is an unknown", { insert: 'c', documents: [{}], let: {} }],
  [40415, "'count.allowDiskUse' is", { count: 'c', allowDiskUse: true }],
  [40415, "'update.updates.foo' is", updated({ q: {}, u: {}, foo: 1 })],
  [40415, "'delete.deletes.foo' is", removed({ q: {}, limit: 0, foo: 1 })],
  [40415, "'cursor.foo' is", { ...piped(), cursor: { foo: 1 } }],
  [40414, "'delete.deletes.q' is missing but a required", removed({ limit: 0 })],
  [40414, "'delete.deletes.q' is missing", removed({ q: null, limit: 0 })],
  [40414, "'delete.deletes.limit' is missing", removed({ q: {} })],
  [40414, "'update.updates.q' is missing", updated({ u: { $set: { n: 1 } }, multi: true })],
  [40414, "'update.updates.u' is missing", updated({ q: {} })],
  [40414, "'delete.deletes' is missing", { delete: 'c' }],
  [40414, "'insert.documents' is missing", { insert: 'c' }],
  [40414, "'distinct.key' is missing", { distinct: 'c' }],
  [40414, "'aggregate.pipeline' is missing", { aggregate: 'c', cursor: {} }],
  [40414, "'getMore.collection' is missing", { getMore: 5n }],
  [40414, "'dropIndexes.index' is missing", { dropIndexes: 'c' }],
  [40414, "'renameCollection.to' is missing", { renameCollection: 'test.c' }],
  [40414, "'killCursors.cursors' is missing", { killCursors: 'c' }],
  [40414, "'createIndexes.indexes' is missing", { createIndexes: 'c' }],
  [14, "wrong type 'int', expected type 'object'", { find: 'c', filter: 5 }],
  [14, "wrong type 'int', expected type 'bool'", { find: 'c', singleBatch: 1 }],
  [14, "'insert.ordered' is the wrong", { insert: 'c', documents: [{}], ordered: 0 }],
  [14, "'update.updates.multi' is", updated({ q: {}, u: { $set: { n: 1 } }, multi: 1 })],
  [14, "'update.updates.q' is", updated({ q: 5, u: { $set: { n: 1 } } })],
  [14, "'delete.deletes.q' is", removed({ q: 'x', limit: 0 })],
  [14, "'insert.documents.0' is", { insert: 'c', documents: [5] }],
  [14, "'find.skip' is the wrong type 'string', expected types '[long", { find: 'c', skip: 'x' }],
  [14, "'distinct.key' is", { distinct: 'c', key: 1 }],
  [14, "'getMore.collection' is", { getMore: 5n, collection: 1 }],
  [51024, "'limit' value must be >= 0, actual value '-1'", { find: 'c', limit: -1 }],
  [51024, "'batchSize' value must be >= 0", { ...piped(), cursor: { batchSize: -1 } }],
  [9, 'Hint must be a string or an object', { find: 'c', hint: 5 }],
  [9, 'must be 0 or 1', removed({ q: {}, limit: 0.5 })],
  [9, 'must be 0 or 1', removed({ q: {}, limit: 'x' })],
  [2, 'limit value is not a valid number', { count: 'c', limit: 'x' }],
  [2, 'skip value is negative', { count: 'c', skip: -1 }],
  [2, 'out of range [0, 2147483647]', { find: 'c', maxTimeMS: -1 }],
  [2, 'out of range', { ping: 1, maxTimeMS: 2 ** 31 }],
  [2, 'must be a number', { find: 'c', maxTimeMS: 'x' }],
  [2, 'non-integral', { insert: 'c', documents: [{}], maxTimeMS: new Double(1.5) }],
  [51024, "'maxTimeMS' value must be >= 0", { ...piped(), maxTimeMS: -1 }],
  [14, "'aggregate.maxTimeMS' is the wrong type", { ...piped(), maxTimeMS: 'x' }],
  [2, 'non-integral', { ...piped(), maxTimeMS: new Double(1.5) }],
  [238, "aggregate with 'explain'", { ...piped(), explain: true }],
  [238, 'collectionUUID', { find: 'c', collectionUUID: 'x' }],
  [238, "find with 'tailable'", { find: 'c', tailable: true }],
  [15976, 'at least one sort key', piped({ $sort: {} })],
  [15976, 'at least one sort key', piped({ $limit: 1 }, { $sort: {} })],
  [15973, 'must be an object', piped({ $sort: 1 })],
  [16410, "may not start with '$'", piped({ $sort: { $natural: 1 } })],
  [16410, "may not start with '$'", piped({ $limit: 1 }, { $sort: { $natural: -1 } })],
])('%i (%s) is answered to %j', async (code, message, command) => {
  const reply = await test.send(command);
  expect([reply.get('code'), reply.get('errmsg')]).toEqual([
    code,
    expect.stringContaining(message),
  ]);
  expect(await test.find('c', {})).toEqual([{ _id: 1, n: 5 }, { _id: 2 }].map(toDocument));
});

it('explain refuses the same fields as the explained command', async () => {
  for (const command of [
    { find: 'c', foo: 1 },
    { delete: 'c', deletes: [{ limit: 1 }] },
  ])
    expect((await test.send({ explain: command })).get('ok')).toEqual(new Double(0));
});

it.each<[string, Fields]>([
  ['null for a typed field', { find: 'c', filter: null, sort: null, singleBatch: null }],
  ['options that ask for nothing', { find: 'c', min: {}, tailable: false }],
  ['an empty collation', { find: 'c', collation: {} }],
  [
    'numbers for flags of findAndModify',
    { findAndModify: 'c', update: {}, query: { _id: 9 }, new: 1 },
  ],
  ['the _id index of a dump', { create: 'd', idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } }],
])('%s is accepted', async (_, command) => {
  expect((await test.send(command)).get('ok')).toEqual(new Double(1));
});

it('empty timestamps are kept when they are to be', async () => {
  const { Timestamp } = await import('../bson/values.ts');
  const documents = [{ _id: 1, at: new Timestamp(0n) }];
  await test.send({ insert: 'stamps', documents, bypassEmptyTsReplacement: true });
  expect(await test.find('stamps', {})).toEqual(documents.map(toDocument));
});

describe('the Stable API', () => {
  it.each<[number | undefined, Fields]>([
    [4886600, { ping: 1, apiStrict: true }],
    [4886600, { ping: 1, apiDeprecationErrors: false }],
    [14, { ping: 1, apiVersion: 1 }],
    [322, { ping: 1, apiVersion: '2' }],
    [14, { ping: 1, apiVersion: '1', apiStrict: 'true' }],
    [14, { ping: 1, apiVersion: '1', apiDeprecationErrors: 1 }],
    [undefined, { ping: 1, apiVersion: '1', apiStrict: true, apiDeprecationErrors: true }],
    [undefined, { distinct: 'c', key: 'n', apiVersion: '1' }],
    [323, { distinct: 'c', key: 'n', apiVersion: '1', apiStrict: true }],
    [323, { buildInfo: 1, apiVersion: '1', apiStrict: true }],
    [323, { isMaster: 1, apiVersion: '1', apiStrict: true }],
    [undefined, { find: 'c', noCursorTimeout: true, apiVersion: '1' }],
    [323, { find: 'c', noCursorTimeout: true, apiVersion: '1', apiStrict: true }],
  ])('answers %p to %j', async (code, command) => {
    expect((await test.send(command)).get('code')).toBe(code);
  });
});

describe('the fields of a session', () => {
  const lsid = lsidOf(1);
  it.each<[number, Fields]>([
    [14, { ping: 1, lsid: 5 }],
    [14, { ping: 1, lsid: { id: 'x' } }],
    [14, { ping: 1, lsid, txnNumber: 1 }],
    [72, { insert: 'c', documents: [{}], txnNumber: 1n }],
    [72, { insert: 'c', documents: [{}], lsid, txnNumber: -1n }],
    [72, { find: 'c', lsid, autocommit: false }],
    [72, { find: 'c', lsid, txnNumber: 1n, autocommit: true }],
    [72, { find: 'c', lsid, txnNumber: 1n, startTransaction: true }],
    [72, { find: 'c', lsid, txnNumber: 1n, autocommit: false, startTransaction: false }],
    [14, { find: 'c', readConcern: 'local' }],
  ])('are refused with %i: %j', async (code, command) => {
    expect((await test.send(command)).get('code')).toBe(code);
  });

  it('tell one time after which a session is forgotten', async () => {
    const hello = await test.send({ hello: 1 });
    const started = await test.send({ startSession: 1 });
    expect(hello.get('logicalSessionTimeoutMinutes')).toBe(started.get('timeoutMinutes'));
  });
});

it('drop tells how many indexes there were', async () => {
  await test.send({ insert: 'dropped', documents: [{ _id: 1 }] });
  const indexes = ['a', 'b'].map((name) => ({ key: { [name]: 1 }, name }));
  await test.send({ createIndexes: 'dropped', indexes });
  const reply: Document = await test.send({ drop: 'dropped' });
  expect(reply.get('nIndexesWas')).toBe(3);
});

it.each<[string, Fields]>([
  ['find', { find: 'c' }],
  ['aggregate', { aggregate: 'c', pipeline: [{ $out: 'o' }], cursor: {} }],
  ['createIndexes', { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] }],
  ['drop', { drop: 'none' }],
])('%s is no retryable write, so that it takes no transaction number', async (_, command) => {
  const reply = await test.send({ ...command, lsid: lsidOf(7), txnNumber: 1n });
  expect([reply.get('code'), reply.get('codeName')]).toEqual([50768, 'NotARetryableWriteCommand']);
});

it('getMore of a cursor that does not wait for data takes no maxTimeMS', async () => {
  const first = await test.send({ find: 'c', batchSize: 1 });
  const getMore = (first.get('cursor') as Document).get('id') as bigint;
  const more = { getMore, collection: 'c' };
  const refused = await test.send({ ...more, maxTimeMS: 100 });
  expect([refused.get('code'), refused.get('errmsg')]).toEqual([
    2,
    'cannot set maxTimeMS on getMore command for a non-awaitData cursor',
  ]);
  expect((await test.send(more)).get('ok')).toBeTruthy();
});

import { Decimal128 } from 'bson';
import { type Document, Double, type Literal, toDocument } from '../bson/values.ts';
import { lsidOf, type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

let test: TestEngine;
beforeAll(async () => {
  test = testEngine();
  await test.send({ insert: 'c', documents: [{ _id: 1, a: [1, 2], n: 5 }] });
  await test.send({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] });
});
afterAll(() => test.close());

const piped = (...pipeline: Fields[]): Fields => ({ aggregate: 'c', pipeline, cursor: {} });
const updated = (u: Literal, q: Fields = {}): Fields => ({ update: 'c', updates: [{ q, u }] });
const created = (name: string, key: Fields, more: Fields = {}): Fields => ({
  createIndexes: 'c',
  indexes: [{ key, name, ...more }],
});
const bucket = (more: Fields): Fields =>
  piped({ $bucket: { groupBy: '$n', boundaries: [0, 9], ...more } });
const computed = (expression: Fields): Fields => piped({ $project: { x: expression } });

/** The code of a command's error, or of its first statement's. */
async function codeOf(command: Fields): Promise<unknown> {
  const reply = await test.send(command);
  const [error] = (reply.get('writeErrors') ?? []) as Document[];
  return (error ?? reply).get('code');
}

it.each<[number, Fields]>([
  [28811, piped({ $unwind: { path: '$a', foo: 1 } })],
  [28809, piped({ $unwind: { path: '$a', preserveNullAndEmptyArrays: 1 } })],
  [40197, bucket({ foo: 1 })],
  [40199, bucket({ default: 5 })],
  [40193, bucket({ boundaries: [0, 'x'] })],
  [40202, bucket({ groupBy: 5 })],
  [9, piped({ $lookup: { from: 'c', as: 'x', localField: 'n', foreignField: 'n', foo: 1 } })],
  [
    40324,
    piped({ $match: { none: 1 } }, { $lookup: { from: 'c', as: 'x', pipeline: [{ $nope: 1 }] } }),
  ],
  [40324, piped({ $unionWith: { coll: 'none', pipeline: [{ $nope: 1 }] } })],
  [40415, piped({ $merge: { into: 'd', foo: 1 } })],
  [2, piped({ $match: { none: 1 } }, { $merge: { into: 'd', whenMatched: 'bogus' } })],
  [40600, piped({ $facet: { x: [{ $facet: { y: [{ $limit: 1 }] } }] } })],
  [28745, piped({ $sample: 5 })],
  [28748, piped({ $sample: { size: 1, foo: 1 } })],
  [9, piped({ $lookup: { from: 'c', as: 'x', let: 5, pipeline: [] } })],
  [238, piped({ $lookup: { as: 'x', pipeline: [{ $documents: [] }] } })],
  [238, piped({ $unionWith: { pipeline: [{ $documents: [] }] } })],
  [40602, piped({ $match: {} }, { $collStats: { count: {} } })],
  [40602, piped({ $unionWith: { coll: 'c', pipeline: [{ $collStats: { count: {} } }] } })],
  [16410, piped({ $facet: { $x: [] } })],
  [16412, piped({ $facet: { 'x.y': [] } })],
  [40177, piped({ $addFields: {} })],
  [40229, piped({ $replaceRoot: '$a' })],
  [40230, piped({ $replaceRoot: { newRoot: '$$ROOT', foo: 1 } })],
  [40414, piped({ $out: { coll: 'd' } })],
  [14, piped({ $merge: { into: { coll: 5 } } })],
  [73, piped({ $out: '' })],
  [73, { renameCollection: 'test.c', to: 'test.' }],
  [9, { find: 'c', filter: { $alwaysTrue: 0 } }],
  [2, { find: 'c', filter: { a: { $all: [{ $elemMatch: { $gt: 1 } }, 2] } } }],
  [2, { find: 'c', filter: { a: { $all: [2, { $elemMatch: { $gt: 1 } }] } } }],
  [16410, { find: 'c', sort: { 'a.$b': 1 } }],
  [2, { find: 'c', sort: { $natural: 1, n: 1 } }],
  [15983, { find: 'c', projection: { a: { $slice: 1, b: 1 } } }],
  [28724, { find: 'c', projection: { a: { $slice: [1, 2, 3] } } }],
  [31395, { find: 'c', projection: { 'a.$': 0 } }],
  [5787801, piped({ $group: { _id: null, x: { $firstN: 5 } } })],
  [5787900, piped({ $group: { _id: null, x: { $minN: 5 } } })],
  [14, piped({ $group: { _id: null, n: { $count: '$x' } } })],
  [
    5787908,
    piped({ $match: { none: 1 } }, { $group: { _id: 1, x: { $firstN: { n: 0, input: 1 } } } }),
  ],
  [34467, computed({ $zip: { inputs: ['$a'], defaults: [0] } })],
  [40097, computed({ $indexOfArray: ['$a', 1, -1] })],
  [
    168,
    piped({ $match: { none: 1 } }, { $set: { x: { $let: { vars: { y: { $nope: 1 } }, in: 1 } } } }),
  ],
  [238, computed({ $getField: { field: { $concat: ['a', 'b'] }, input: '$$ROOT' } })],
  [238, piped({ $currentOp: {} })],
  [238, piped({ $indexStats: {} })],
  [238, { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} }],
  [238, piped({ $collStats: { storageStats: {} } })],
  [168, updated([{ $set: { a: { $nope: 1 } } }], { none: 1 })],
  [40, updated({ $set: { 'a.$[]': 1, 'a.0': 2 } }, { none: 1 })],
  [40, updated({ $set: { 'a.$[].b': 1, 'a.0.c': 2 } }, { none: 1 })],
  [66, updated({ _id: null, a: 1 })],
  [2, updated({ $rename: { a: 'a' } })],
  [2, updated({ $rename: { a: 'a.b' } })],
  [2, updated({ $set: { 'a.$': 9 } }, { a: { $gte: 1, $lte: 5, $gt: 1 } })],
  [2, updated({ $set: { 'a.$': 9 } }, { a: { $size: 2 } })],
  [9, { findAndModify: 'c', query: {}, remove: true, arrayFilters: [{ x: 1 }] }],
  [9, { delete: 'c', deletes: [{ q: {}, limit: 2 }] }],
  [72, { create: 'd', size: 5 }],
  [72, { create: 'd', expireAfterSeconds: 5 }],
  [238, { create: 'd', storageEngine: {}, validationLevel: 'off' }],
  [9, { find: 'c', readConcern: { level: 'bogus' } }],
  [72, { getParameter: 1, nonsense: 1 }],
  [115, { killSessions: [] }],
  [86, created('n', { n: 1 }, { unique: true })],
  [85, created('n', { n: 1 }, { expireAfterSeconds: 5 })],
  [85, created('m', { n: 1 })],
  [241, computed({ $toDate: '2021-02-30' })],
])('%i is answered to %j', async (code, command) => {
  expect(await codeOf(command)).toBe(code);
  expect(await test.find('c', {})).toEqual([toDocument({ _id: 1, a: [1, 2], n: 5 })]);
});

it('a cursor is read on in its own collection and session', async () => {
  await test.send({ insert: 'many', documents: [1, 2, 3].map((_id) => ({ _id })) });
  const open = async (more: Fields = {}): Promise<Literal> => {
    const reply = await test.send({ find: 'many', batchSize: 1, ...more });
    return (reply.get('cursor') as Document).get('id');
  };
  const [one, two] = [{ lsid: lsidOf(1) }, { lsid: lsidOf(2) }];
  const [free, owned] = [await open(), await open(one)];
  const more = (getMore: Literal, fields: Fields) =>
    codeOf({ getMore, collection: 'many', ...fields });
  expect(await more(free, { collection: 'c' })).toBe(13);
  expect(await more(free, one)).toBe(50736);
  expect(await more(owned, {})).toBe(50737);
  expect(await more(owned, two)).toBe(50738);
  expect(await more(owned, one)).toBeUndefined();
  expect(await more(free, {})).toBeUndefined();
});

it('indexes of one key may differ in unique, sparse and filter; then they are named', async () => {
  await test.send({ insert: 'i', documents: [{ _id: 1, a: 1 }] });
  const index = (name: string, more: Fields = {}) =>
    test.send({ createIndexes: 'i', indexes: [{ key: { a: 1 }, name, ...more }] });
  expect((await index('plain')).get('code')).toBeUndefined();
  expect((await index('unique', { unique: true })).get('code')).toBeUndefined();
  expect((await index('sparse', { sparse: true })).get('code')).toBeUndefined();
  expect(await codeOf({ find: 'i', hint: { a: 1 } })).toBe(2);
  expect(await codeOf({ dropIndexes: 'i', index: { a: 1 } })).toBe(181);
  expect(await codeOf({ insert: 'i', documents: [{ _id: 2, a: 1 }] })).toBe(11000);
});

it('a document may have null as its _id', async () => {
  await test.send({ insert: 'null', documents: [{ a: 1, _id: null }] });
  expect(await test.find('null', { _id: null })).toEqual([toDocument({ _id: null, a: 1 })]);
});

it('a reference to a document is a value', async () => {
  const [r, other] = [
    { $ref: 'x', $id: 5 },
    { $ref: 'x', $id: 6 },
  ];
  await test.send({
    insert: 'r',
    documents: [
      { _id: 1, r },
      { _id: 2, r: other, l: [r, other] },
    ],
  });
  const ids = async (filter: Fields) => (await test.find('r', filter)).map((d) => d.get('_id'));
  expect(await ids({ r })).toEqual([1]);
  expect(await ids({ r: { $in: [r, other] } })).toEqual([1, 2]);
  expect(await ids({ 'r.$id': 6 })).toEqual([2]);
  expect(await ids({ l: { $elemMatch: { $ref: 'x', $id: 5 } } })).toEqual([2]);
  await test.send({ update: 'r', updates: [{ q: { l: r }, u: { $pull: { l: r } } }] });
  expect((await test.find('r', { _id: 2 }))[0]?.get('l')).toEqual([toDocument(other)]);
});

it('$pull takes conditions on whole documents', async () => {
  const a = [{ b: 1 }, { c: 2 }, { d: 3 }, 5];
  await test.send({ insert: 'p', documents: [{ _id: 1, a }] });
  const $pull = { a: { $or: [{ b: 1 }, { c: 2 }] } };
  await test.send({ update: 'p', updates: [{ q: {}, u: { $pull } }] });
  expect((await test.find('p', {}))[0]?.get('a')).toEqual([toDocument({ d: 3 }), 5]);
});

it('the positional operator takes the element that all conditions point at', async () => {
  await test.send({ insert: 'pos', documents: [{ _id: 1, a: [0, 3, 9] }] });
  const q = { a: { $gte: 1, $exists: true, $size: 3, $in: [3, 4], $ne: 7 } };
  await test.send({ update: 'pos', updates: [{ q, u: { $set: { 'a.$': 8 } } }] });
  expect((await test.find('pos', {}))[0]?.get('a')).toEqual([0, 8, 9]);
});

it('$lookup joins what is missing only where all of it is', async () => {
  await test.send({ insert: 'l', documents: [{ _id: 1, l: [{ x: 1 }, {}] }, { _id: 2 }] });
  await test.send({ insert: 'f', documents: [{ _id: 1, x: 1 }, { _id: 2 }] });
  const $lookup = { from: 'f', localField: 'l.x', foreignField: 'x', as: 'j' };
  const pipeline = [{ $lookup }, { $project: { j: '$j._id' } }];
  const reply = await test.send({ aggregate: 'l', pipeline, cursor: {} });
  const found = (reply.get('cursor') as Document).get('firstBatch');
  expect(found).toEqual(
    [
      { _id: 1, j: [1] },
      { _id: 2, j: [2] },
    ].map(toDocument),
  );
});

it('getParameter tells the version and nothing else', async () => {
  const reply = await test.send({ getParameter: 1, featureCompatibilityVersion: 1 });
  expect(reply.get('featureCompatibilityVersion')).toEqual(toDocument({ version: '7.0' }));
});

it('sums of an update go by the 15 digits that a double is good for', async () => {
  const n = Decimal128.fromString('1.10');
  await test.send({ insert: 'd', documents: [{ _id: 1, n }] });
  await test.send({ update: 'd', updates: [{ q: {}, u: { $inc: { n: new Double(0.1) } } }] });
  const [found] = await test.find('d', {});
  expect(String(found?.get('n'))).toBe('1.200000000000000');
});

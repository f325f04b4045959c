import { type Document, Double, Int32, Long, UUID } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

let test: TestServer;
let n = 0;
beforeAll(async () => {
  test = await testServer();
});
afterAll(() => test.stop());

const collection = () => test.db.collection<Document>(`c${n++}`);

const UPDATES: [string, Document, Document | Document[], Document, Document?][] = [
  ['$set makes what is missing', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set pads arrays', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
  [
    '$unset',
    { a: 1, b: { c: 1, d: 2 }, e: [1, 2] },
    { $unset: { a: '', 'b.c': '', 'e.0': '' } },
    { b: { d: 2 }, e: [null, 2] },
  ],
  ['$inc and $mul of what is missing', {}, { $inc: { a: 2 }, $mul: { b: 3 } }, { a: 2, b: 0 }],
  ['$min and $max', { a: 5, b: 5 }, { $min: { a: 3 }, $max: { b: 9 } }, { a: 3, b: 9 }],
  ['$min compares types too', { a: 'x' }, { $min: { a: 3 } }, { a: 3 }],
  ['$rename', { a: 1, b: { c: 2 } }, { $rename: { a: 'z', 'b.c': 'b.d' } }, { b: { d: 2 }, z: 1 }],
  ['$push', { a: [1] }, { $push: { a: 2, b: 3 } }, { a: [1, 2], b: [3] }],
  [
    '$push with all its clauses',
    { a: [{ x: 3 }, { x: 1 }] },
    { $push: { a: { $each: [{ x: 2 }], $sort: { x: -1 }, $slice: 2 } } },
    { a: [{ x: 3 }, { x: 2 }] },
  ],
  [
    '$push at a negative position',
    { a: [1, 2] },
    { $push: { a: { $each: [9], $position: -1 } } },
    { a: [1, 9, 2] },
  ],
  [
    '$addToSet',
    { a: [1, { x: 1 }] },
    { $addToSet: { a: { $each: [1, { x: 1 }, 2] } } },
    { a: [1, { x: 1 }, 2] },
  ],
  ['$pop', { a: [1, 2, 3], b: [1, 2] }, { $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [2] }],
  [
    '$pull by value, condition and fields',
    { a: [1, 2], b: [1, 5], c: [{ x: 1, y: 2 }, { x: 2 }] },
    { $pull: { a: 1, b: { $gt: 3 }, c: { x: 1 } } },
    { a: [2], b: [1], c: [{ x: 2 }] },
  ],
  ['$pullAll', { a: [1, 2, 1, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
  ['$bit', { a: 12 }, { $bit: { a: { and: 10, or: 1 } } }, { a: 9 }],
  ['$[]', { a: [{ n: 1 }, { n: 2 }] }, { $inc: { 'a.$[].n': 1 } }, { a: [{ n: 2 }, { n: 3 }] }],
  [
    '$',
    { a: [{ n: 1 }, { n: 2 }] },
    { $set: { 'a.$.m': 1 } },
    { a: [{ n: 1 }, { n: 2, m: 1 }] },
    { 'a.n': 2 },
  ],
  [
    '$ by $elemMatch',
    {
      a: [
        { n: 1, k: 1 },
        { n: 2, k: 1 },
      ],
    },
    { $set: { 'a.$.k': 0 } },
    {
      a: [
        { n: 1, k: 1 },
        { n: 2, k: 0 },
      ],
    },
    { a: { $elemMatch: { n: 2, k: 1 } } },
  ],
  [
    'new fields in the order of their names',
    {},
    { $set: { z: 1, b: 1, 'n.10': 1, 'n.9': 1 } },
    { b: 1, n: { 9: 1, 10: 1 }, z: 1 },
  ],
  ['a replacement', { a: 1 }, { b: 2 }, { b: 2 }],
  [
    'a pipeline',
    { a: 2, b: 1 },
    [{ $set: { sum: { $add: ['$a', '$b'] } } }, { $unset: 'b' }],
    { a: 2, sum: 3 },
  ],
];

/** Each is refused with the code that MongoDB gives. */
const REFUSED: [string, number, Document, Document | Document[], Document?][] = [
  ['through a scalar', 28, { a: 5 }, { $set: { 'a.b': 1 } }],
  ['through an array by a name', 28, { a: [1] }, { $set: { 'a.b': 1 } }],
  ['a path twice', 40, {}, { $set: { a: 1 }, $inc: { a: 1 } }],
  ['a path within another', 40, {}, { $set: { a: {}, 'a.b': 1 } }],
  ['another _id', 66, {}, { $set: { _id: 9 } }],
  ['a replacement with another _id', 66, {}, { _id: 9, b: 1 }],
  ['$inc of a string', 14, { a: 'x' }, { $inc: { a: 1 } }],
  ['$inc by a string', 14, { a: 1 }, { $inc: { a: 'x' } }],
  ['$inc beyond a long', 2, { a: Long.MAX_VALUE }, { $inc: { a: 1 } }],
  ['$push to a scalar', 2, { a: 1 }, { $push: { a: 1 } }],
  ['$pop of a scalar', 14, { a: 1 }, { $pop: { a: 1 } }],
  ['$pop by something else', 9, { a: [1] }, { $pop: { a: 2 } }],
  ['an unknown operator', 9, {}, { $foo: { a: 1 } }],
  ['an empty field name', 56, {}, { $set: { 'a..b': 1 } }],
  ['$ without an array in the query', 2, { a: [1] }, { $set: { 'a.$': 1 } }],
  ['$[] of what is no array', 2, { a: 1 }, { $set: { 'a.$[]': 1 } }],
  ['$[x] without a filter', 2, { a: [1] }, { $set: { 'a.$[x]': 1 } }],
  ['$rename out of an array', 2, { a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }],
  ['a stage that changes nothing of a document', 72, {}, [{ $match: {} }]],
  ['an unknown expression', 168, {}, [{ $set: { a: { $foo: 1 } } }]],
];

describe('updates', () => {
  it.each(UPDATES)('%s', async (_, before, update, after, query = {}) => {
    const things = collection();
    await things.insertOne({ _id: 1 as never, ...before });
    const filter = { _id: 1 as never, ...query };
    if (!Array.isArray(update) && !Object.keys(update)[0]?.startsWith('$'))
      await things.replaceOne(filter, update);
    else await things.updateOne(filter, update);
    const found = await things.findOne();
    expect(found).toEqual({ _id: 1, ...after });
    expect(Object.keys(found ?? {})).toEqual(['_id', ...Object.keys(after)]);
  });

  it.each(REFUSED)('refuse %s with code %d and change nothing', async (_, code, before, update) => {
    const things = collection();
    await things.insertOne({ _id: 1 as never, ...before });
    const statement = { q: { _id: 1 }, u: update };
    const reply = await errorOf(
      test.db.command({ update: things.collectionName, updates: [statement] }).then((result) => {
        if (result.writeErrors) throw result.writeErrors[0];
      }),
    );
    expect(reply.code).toBe(code);
    expect(await things.findOne({}, { promoteValues: true })).toEqual({
      _id: 1,
      ...before,
      ...(before.a instanceof Long ? { a: before.a } : {}),
    });
  });

  it('keep the type of a number', async () => {
    const things = collection();
    await things.insertOne({
      int: new Int32(1),
      long: Long.fromNumber(1),
      double: new Double(1),
      big: new Int32(2147483647),
    });
    await things.updateOne(
      {},
      { $inc: { int: 1, long: 1, double: 1, big: 1 }, $set: { more: new Double(3) } },
    );
    const types = { int: 'int', long: 'long', double: 'double', big: 'long', more: 'double' };
    for (const [field, type] of Object.entries(types)) {
      expect([field, await things.countDocuments({ [field]: { $type: type } })]).toEqual([
        field,
        1,
      ]);
    }
    await things.updateOne({}, { $mul: { int: 1.5 } });
    expect(await things.countDocuments({ int: { $type: 'double', $eq: 3 } })).toBe(1);
  });

  it('insert what the query and the update say, when nothing is found', async () => {
    const things = collection();
    const upsert = { upsert: true };
    await things.updateOne(
      { a: 1, 'b.c': { $eq: 2 }, d: { $gt: 5 } },
      { $set: { e: 1 }, $setOnInsert: { f: 2 } },
      upsert,
    );
    const { _id, ...rest } = (await things.findOne({ a: 1 })) ?? {};
    expect(rest).toEqual({ a: 1, b: { c: 2 }, e: 1, f: 2 });
    expect(
      (await errorOf(things.updateOne({ x: 1, 'x.y': 2 }, { $set: { z: 1 } }, upsert))).code,
    ).toBe(54);
    const uuid = new UUID();
    await things.replaceOne({ _id: uuid as never }, { g: 1 }, upsert);
    expect(await things.findOne({ _id: uuid as never })).toMatchObject({ g: 1 });
  });

  it('take the first document of a sort where findAndModify asks for it', async () => {
    const things = collection();
    await things.insertMany([
      { k: 1, p: 5 },
      { k: 1, p: 9 },
    ]);
    await things.findOneAndUpdate({ k: 1 }, { $set: { hit: true } }, { sort: { p: -1 } });
    expect(await things.findOne({ hit: true })).toMatchObject({ p: 9 });
    const sorted = { q: { k: 1 }, u: { $set: { low: true } }, sort: { p: 1 } };
    const refused = test.db.command({ update: things.collectionName, updates: [sorted] });
    expect((await errorOf(refused)).code).toBe(40415);
  });

  it('change a document once, though its key moves along the index', async () => {
    const things = collection();
    await things.createIndex({ n: 1 });
    await things.insertMany(Array.from({ length: 300 }, (_, i) => ({ n: i })));
    expect(await things.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } })).toMatchObject({
      modifiedCount: 300,
    });
    expect(await things.countDocuments({ n: { $gte: 1000, $lt: 1300 } })).toBe(300);
  });

  /** MongoDB counts what its operators wrote, even where the document has become the same again. */
  it.each<[string, Document, Document, number]>([
    ['the same value', { a: 1 }, { $set: { a: 1 } }, 0],
    ['an equal value of another type', { a: 1 }, { $set: { a: new Double(1) } }, 1],
    ['a sum with nothing', { a: 1 }, { $inc: { a: 0 } }, 0],
    ['a known value', { a: [1] }, { $addToSet: { a: 1 } }, 0],
    ['no value', { a: [1] }, { $push: { a: { $each: [] } } }, 0],
    ['a new empty array', {}, { $push: { a: { $each: [] } } }, 1],
    ['a sort of what is sorted', { a: [1, 2] }, { $push: { a: { $each: [], $sort: 1 } } }, 1],
    ['a sort of nothing', { a: [] }, { $push: { a: { $each: [], $sort: 1 } } }, 1],
    ['a slice of what is short', { a: [1, 2] }, { $push: { a: { $each: [], $slice: 2 } } }, 0],
    ['a slice of what is long', { a: [1, 2] }, { $push: { a: { $each: [], $slice: 1 } } }, 1],
    ['a slice of what was pushed', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 2 } } }, 1],
    ['a slice to nothing of nothing', { a: [] }, { $push: { a: { $each: [1], $slice: 0 } } }, 1],
    ['a pull of nothing', { a: [1] }, { $pull: { a: 2 } }, 0],
    ['a pop of nothing', { a: [] }, { $pop: { a: 1 } }, 0],
    ['a removal of nothing', { a: 1 }, { $unset: { b: '' } }, 0],
    ['a renaming of nothing', { a: 1 }, { $rename: { b: 'c' } }, 0],
    ['an insertion alone', { a: 1 }, { $setOnInsert: { a: 2 } }, 0],
  ])('count %s as MongoDB does', async (_, before, update, modifiedCount) => {
    const things = collection();
    await things.insertOne({ ...before });
    expect(await things.updateOne({}, update)).toMatchObject({ matchedCount: 1, modifiedCount });
  });

  const statement = async (update: Document): Promise<Document> => {
    const name = collection().collectionName;
    await test.db.collection(name).insertOne({ a: [1] });
    const reply = await test.db.command({ update: name, updates: [update] });
    if (reply.writeErrors) throw reply.writeErrors[0];
    return reply;
  };

  it.each<[number, Document]>([
    [14, { q: {}, u: { $set: { b: 1 } }, arrayFilters: 5 }],
    [14, { q: {}, u: { $set: { b: 1 } }, arrayFilters: { x: 1 } }],
    [14, { q: {}, u: { $set: { b: 1 } }, arrayFilters: [5] }],
    [14, { q: {}, u: { b: 1 }, arrayFilters: 5 }],
    [9, { q: {}, u: { $set: { b: 1 } }, arrayFilters: [{}] }],
    [9, { q: {}, u: { $set: { b: 1 } }, arrayFilters: [{ x: 1 }] }],
    [9, { q: {}, u: { $set: { 'a.$[x]': 1 } }, arrayFilters: [{ x: 1 }, { x: 2 }] }],
    [9, { q: {}, u: { $set: { 'a.$[x]': 1 } }, arrayFilters: [{ x: 1, y: 2 }] }],
    [2, { q: {}, u: { $set: { 'a.$[x]': 1 } }, arrayFilters: [] }],
    [2, { q: {}, u: { $set: { 'a.$[X]': 1 } }, arrayFilters: [{ X: 1 }] }],
    [224, { q: {}, u: { $set: { 'a.$[x]': 1 } }, arrayFilters: [{ $expr: 1 }] }],
    [9, { q: {}, u: { b: 1 }, arrayFilters: [{ x: 1 }] }],
    [9, { q: {}, u: [{ $set: { b: 1 } }], arrayFilters: [{ x: 1 }] }],
    [52, { q: {}, u: { b: 1, $c: 1 } }],
    [111, { q: { '_id.x': 1 }, u: { b: 1 }, upsert: true }],
    [224, { q: { $expr: { $eq: ['$z', 1] } }, u: { $set: { b: 1 } }, upsert: true }],
  ])('are refused with %i: %j', async (code, update) => {
    expect(await errorOf(statement(update))).toMatchObject({ code });
  });

  it.each<[Document]>([
    [{ q: {}, u: { $set: { b: 1 } }, arrayFilters: null }],
    [{ q: {}, u: { $set: { b: 1 } }, arrayFilters: [] }],
    [{ q: {}, u: [{ $set: { b: 1 } }], arrayFilters: [] }],
    [{ q: { z: 9 }, u: { b: 1, $c: 1 } }],
  ])('are accepted: %j', async (update) => {
    expect(await statement(update)).toMatchObject({ ok: 1 });
  });

  it('insert fields with a dollar, at the top and below', async () => {
    const update = { q: { z: 9, y: 1, 'y.z': 2 }, u: { b: { $c: 1 }, $d: 1 }, upsert: true };
    const { upserted } = await statement(update);
    const { collectionName: name } = collection();
    await test.db.command({
      update: name,
      updates: [{ q: { _id: 5, $and: [{ e: 1 }] }, u: { $set: { $d: 1 } }, upsert: true }],
    });
    expect(await test.db.collection(name).findOne()).toEqual({ _id: 5, e: 1, $d: 1 });
    expect(upserted).toMatchObject([{ index: 0 }]);
  });

  it('insert from a query of many conditions', async () => {
    const things = collection();
    const $and = Array.from({ length: 20_000 }, (_, i) => ({ [`f${i}`]: i }));
    await things.updateOne({ $and }, { $set: { done: true } }, { upsert: true });
    expect(await things.findOne({}, { projection: { _id: 0, f0: 1, f19999: 1 } })).toEqual({
      f0: 0,
      f19999: 19_999,
    });
  });

  it('leave the values of one document out of the next', async () => {
    const things = collection();
    await things.insertMany([
      { _id: 1 as never, a: [{ n: 1 }] },
      { _id: 2 as never, a: [] },
    ]);
    const push: Document = { a: { $each: [{ n: 5 }], $position: 0 } };
    await things.updateMany({}, { $push: push } as Document);
    await things.updateMany({}, { $set: { o: { p: 1 } } });
    await things.updateOne({ _id: 1 as never }, { $set: { 'a.0.n': 6, 'o.p': 2 } });
    expect(await things.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, a: [{ n: 6 }, { n: 1 }], o: { p: 2 } },
      { _id: 2, a: [{ n: 5 }], o: { p: 1 } },
    ]);
  });
});

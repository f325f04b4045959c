import { type Collection, type Document, MongoServerError } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

type Thing = Document & { _id: number };

describe('reading and writing through the official driver', () => {
  let test: TestServer;
  let things: Collection<Thing>;
  let round = 0;
  beforeAll(async () => {
    test = await testServer();
  });
  afterAll(() => test.stop());
  beforeEach(() => {
    things = test.db.collection<Thing>(`things${round++}`);
  });

  it('inserts, finds, updates and deletes', async () => {
    await things.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
      { _id: 3, a: 3 },
    ]);
    expect(await things.findOne({ _id: 2 })).toEqual({ _id: 2, a: 2 });
    expect(await things.updateMany({ a: { $gte: 2 } }, { $set: { b: 'x' } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 2,
    });
    expect(await things.countDocuments({ b: 'x' })).toBe(2);
    expect(await things.deleteOne({ a: 1 })).toMatchObject({ deletedCount: 1 });
    expect(await things.find().toArray()).toEqual([
      { _id: 2, a: 2, b: 'x' },
      { _id: 3, a: 3, b: 'x' },
    ]);
  });

  it('sorts, skips, limits and projects', async () => {
    await things.insertMany([5, 3, 9, 1].map((n, i) => ({ _id: i, n, m: { x: n, y: 1 } })));
    const found = await things
      .find({}, { projection: { 'm.x': 1, _id: 0 } })
      .sort({ n: -1 })
      .skip(1)
      .limit(2)
      .toArray();
    expect(found).toEqual([{ m: { x: 5 } }, { m: { x: 3 } }]);
  });

  it('refuses a second document under a unique key, and says which', async () => {
    await things.createIndex({ a: 1, b: -1 }, { unique: true });
    await things.insertOne({ _id: 1, a: 'x', b: 2 });
    const error = await errorOf(things.insertOne({ _id: 2, a: 'x', b: 2 }));
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error.code).toBe(11000);
    expect(error.keyPattern).toEqual({ a: 1, b: -1 });
    expect(error.keyValue).toEqual({ a: 'x', b: 2 });
    const byId = await errorOf(things.insertOne({ _id: 1 }));
    expect(byId.keyPattern).toEqual({ _id: 1 });
    expect(byId.keyValue).toEqual({ _id: 1 });
  });

  it('keeps a partial unique index to the documents it is for', async () => {
    await things.createIndex({ key: 1 }, { unique: true, partialFilterExpression: { open: true } });
    await things.insertMany([
      { _id: 1, key: 'k', open: true },
      { _id: 2, key: 'k', open: false },
      { _id: 3, key: 'k', open: false },
    ]);
    expect((await errorOf(things.updateOne({ _id: 2 }, { $set: { open: true } }))).code).toBe(
      11000,
    );
    await things.updateOne({ _id: 1 }, { $set: { open: false } });
    expect(await things.updateOne({ _id: 2 }, { $set: { open: true } })).toMatchObject({
      modifiedCount: 1,
    });
  });

  it('finds and modifies in one step', async () => {
    await things.insertOne({ _id: 1, n: 1, state: 'free' });
    expect(
      await things.findOneAndUpdate(
        { state: 'free' },
        { $set: { state: 'taken' }, $inc: { n: 1 } },
        { returnDocument: 'after', projection: { n: 1 } },
      ),
    ).toEqual({ _id: 1, n: 2 });
    expect(await things.findOneAndUpdate({ state: 'free' }, { $set: { a: 1 } })).toBeNull();
    expect(
      await things.findOneAndUpdate(
        { _id: 7 },
        { $setOnInsert: { made: true }, $inc: { n: 4 } },
        { upsert: true, returnDocument: 'after' },
      ),
    ).toEqual({ _id: 7, made: true, n: 4 });
    expect(await things.findOneAndDelete({ _id: 7 })).toMatchObject({ n: 4 });
  });

  it('changes arrays: $push with $each, $slice, $sort and $position, $pull, $addToSet', async () => {
    const lists = test.db.collection<{ _id: number; a: number[] }>(things.collectionName);
    await lists.insertOne({ _id: 1, a: [3, 1] });
    await lists.updateOne({ _id: 1 }, { $push: { a: { $each: [2, 9], $sort: 1, $slice: -3 } } });
    expect((await lists.findOne())?.a).toEqual([2, 3, 9]);
    await lists.updateOne({ _id: 1 }, { $push: { a: { $each: [0], $position: 0 } } });
    await lists.updateOne({ _id: 1 }, { $pull: { a: { $gte: 3 } } });
    expect((await lists.findOne())?.a).toEqual([0, 2]);
    await lists.updateOne({ _id: 1 }, { $addToSet: { a: { $each: [2, 4, 4] } } });
    expect((await lists.findOne())?.a).toEqual([0, 2, 4]);
  });

  it('reaches into arrays: $, $[] and $[name]', async () => {
    const items = [
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
      { k: 'a', n: 3 },
    ];
    await things.insertOne({ _id: 1, items });
    await things.updateOne({ 'items.k': 'b' }, { $set: { 'items.$.n': 20 } });
    await things.updateOne(
      { _id: 1 },
      { $inc: { 'items.$[it].n': 100 } },
      { arrayFilters: [{ 'it.k': 'a' }] },
    );
    await things.updateOne({ _id: 1 }, { $set: { 'items.$[].seen': true } });
    expect((await things.findOne())?.items).toEqual([
      { k: 'a', n: 101, seen: true },
      { k: 'b', n: 20, seen: true },
      { k: 'a', n: 103, seen: true },
    ]);
  });

  it('writes in bulk, in order and not', async () => {
    const operations = [
      { insertOne: { document: { _id: 1 } as Thing } },
      { insertOne: { document: { _id: 1 } as Thing } },
      { insertOne: { document: { _id: 2 } as Thing } },
    ];
    expect((await errorOf(things.bulkWrite(operations))).code).toBe(11000);
    expect(await things.countDocuments()).toBe(1);
    await errorOf(things.bulkWrite(operations, { ordered: false }));
    expect(await things.countDocuments()).toBe(2);
    expect(
      await things.bulkWrite([
        { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } },
        { updateOne: { filter: { _id: 9 }, update: { $set: { a: 1 } }, upsert: true } },
        { deleteOne: { filter: { _id: 2 } } },
        { replaceOne: { filter: { _id: 1 }, replacement: { b: 2 } as unknown as Thing } },
      ]),
    ).toMatchObject({ matchedCount: 2, modifiedCount: 2, upsertedCount: 1, deletedCount: 1 });
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, b: 2 });
  });

  it('aggregates', async () => {
    await things.insertMany([1, 2, 3, 4].map((n) => ({ _id: n, n, odd: n % 2 === 1 })));
    const groups = await things
      .aggregate([
        { $match: { n: { $lt: 4 } } },
        { $group: { _id: '$odd', sum: { $sum: '$n' }, max: { $max: '$n' } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(groups).toEqual([
      { _id: false, sum: 2, max: 2 },
      { _id: true, sum: 4, max: 3 },
    ]);
  });

  it('commits a transaction as a whole, and aborts one as a whole', async () => {
    await things.insertOne({ _id: 1, n: 1 });
    const session = test.client.startSession();
    session.startTransaction();
    await things.insertOne({ _id: 2 }, { session });
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    expect(await things.countDocuments({ n: 1 })).toBe(1);
    await session.abortTransaction();
    expect(await things.find().toArray()).toEqual([{ _id: 1, n: 1 }]);
    await session.withTransaction(async () => {
      await things.insertOne({ _id: 2 }, { session });
      await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    });
    expect(await things.find().toArray()).toEqual([{ _id: 1, n: 2 }, { _id: 2 }]);
    await session.endSession();
  });

  it('is polluted by no name', async () => {
    const hostile: Thing = JSON.parse(
      '{"_id":1,"__proto__":{"polluted":true},"constructor":{"a":1}}',
    );
    await things.insertOne(hostile);
    await things.updateOne({ _id: 1 }, { $set: { 'constructor.prototype.x': 1 } });
    await things.updateOne({ _id: 1 }, { $set: { '__proto__.y': 1 } }).catch(() => {});
    await things
      .find(JSON.parse('{"__proto__.polluted": true, "__proto__": {"$gt": 1}}'))
      .toArray();
    const grouped = things.aggregate([{ $group: { _id: '$__proto__.polluted' } }]).toArray();
    await grouped.catch(() => {});
    await test.db.command({ ping: 1, __proto__: { polluted: true } });
    const kept = await things.findOne({ _id: 1 });
    expect(kept && Object.getOwnPropertyNames(kept)).toContain('constructor');
    await things.insertOne({ _id: 2 });
    expect(await things.findOne({ _id: 2 })).toEqual({ _id: 2 });
    expect(await things.countDocuments({ polluted: true })).toBe(0);
  });
});

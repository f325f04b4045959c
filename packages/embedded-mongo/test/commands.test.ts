import { type Document, MongoClient } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

let test: TestServer;
let n = 0;
beforeAll(async () => {
  test = await testServer();
});
afterAll(() => test.stop());

const collection = () => test.db.collection<Document>(`c${n++}`);
const numbers = (count: number): Document[] =>
  Array.from({ length: count }, (_, i) => ({ _id: i, n: i % 10 }));

const stagesOf = (plan: Document): string[] =>
  plan.inputStage ? [plan.stage, ...stagesOf(plan.inputStage)] : [plan.stage];

describe('cursors', () => {
  it('give all documents in batches, and can be left', async () => {
    const things = collection();
    await things.insertMany(numbers(2500));
    expect(await things.find().batchSize(7).sort({ n: 1 }).toArray()).toHaveLength(2500);
    const seen = await things
      .find({ n: { $lt: 5 } })
      .map(({ _id }) => _id as unknown as number)
      .toArray();
    expect(seen).toEqual(
      numbers(2500)
        .filter(({ n: x }) => x < 5)
        .map(({ _id }) => _id),
    );
    const left = things.find().batchSize(2);
    await left.next();
    const id = left.id;
    await left.close();
    const gone = test.db.command({ getMore: id, collection: things.collectionName });
    expect((await errorOf(gone)).code).toBe(43);
  });

  it('end when their collection is dropped', async () => {
    const things = collection();
    await things.insertMany(numbers(500));
    const cursor = things.find().batchSize(2);
    await cursor.next();
    await things.drop();
    await cursor.next();
    expect((await errorOf(cursor.next())).code).toBe(175);
  });

  it('let others have their turn while they search', async () => {
    const things = collection();
    await things.insertMany(numbers(40_000));
    const search = things.find({ n: { $gt: 99 } }).toArray();
    let turns = 0;
    let over = false;
    const ask = async (): Promise<void> => {
      for (; !over; turns++) await test.db.command({ ping: 1 });
    };
    const asking = ask();
    expect(await search).toEqual([]);
    over = true;
    await asking;
    expect(turns).toBeGreaterThan(3);
  });

  it('stop at maxTimeMS', async () => {
    const things = collection();
    await things.insertMany(numbers(40_000));
    const slow = things
      .find({ n: { $gt: 99 } })
      .maxTimeMS(1)
      .toArray();
    expect((await errorOf(slow)).code).toBe(50);
  });
});

it('$lookup stops at maxTimeMS', async () => {
  const things = collection();
  await things.insertMany(numbers(20_000));
  const $lookup = { from: things.collectionName, localField: 'n', foreignField: 'x', as: 'found' };
  const slow = things.aggregate([{ $limit: 1 }, { $lookup }], { maxTimeMS: 1 }).toArray();
  expect((await errorOf(slow)).code).toBe(50);
});

describe('indexes', () => {
  it('are told from a walk through the collection by explain', async () => {
    const things = collection();
    await things.insertMany(numbers(100));
    await things.createIndex({ n: 1, _id: -1 });
    const plan = async (filter: Document, sort?: Document): Promise<string[]> => {
      const found = sort ? things.find(filter).sort(sort as never) : things.find(filter);
      const { queryPlanner } = await found.explain();
      return stagesOf(queryPlanner.winningPlan);
    };
    expect(await plan({ n: 3 })).toEqual(['FETCH', 'IXSCAN']);
    expect(await plan({ _id: 3 })).toEqual(['IDHACK']);
    expect(await plan({ x: 3 })).toEqual(['COLLSCAN']);
    expect(await plan({ n: 3 }, { _id: -1 })).toEqual(['FETCH', 'IXSCAN']);
    expect(await plan({ n: 3 }, { x: 1 })).toEqual(['SORT', 'FETCH', 'IXSCAN']);
    const { executionStats } = await things.find({ n: 3 }).explain('executionStats');
    expect(executionStats).toMatchObject({ nReturned: 10, totalDocsExamined: 10 });
  });

  it('are refused where they conflict with another', async () => {
    const things = collection();
    await things.createIndex({ a: 1 }, { name: 'x' });
    expect(await things.createIndex({ a: 1 }, { name: 'x' })).toBe('x');
    expect((await errorOf(things.createIndex({ a: 1 }, { name: 'y' }))).code).toBe(85);
    expect((await errorOf(things.createIndex({ a: 1 }, { name: 'x', unique: true }))).code).toBe(
      86,
    );
    expect((await errorOf(things.createIndex({ b: 1 }, { name: 'x' }))).code).toBe(86);
    expect((await errorOf(things.dropIndex('z'))).code).toBe(27);
    expect((await errorOf(things.dropIndex('_id_'))).code).toBe(72);
    expect((await things.listIndexes().toArray()).map(({ name }) => name)).toEqual(['_id_', 'x']);
  });

  it.each([
    ['text', { a: 'text' }],
    ['2dsphere', { a: '2dsphere' }],
    ['hashed', { a: 'hashed' }],
    ['wildcard', { '$**': 1 }],
  ] as [string, { [field: string]: 1 }][])('of the kind %s are refused by name', async (_, key) => {
    const error = await errorOf(collection().createIndex(key));
    expect(error.code).toBe(67);
    expect(error.message).toContain('embedded');
  });

  it('that are unique refuse to be made over duplicates, and let sparse ones be missing', async () => {
    const things = collection();
    await things.insertMany([{ a: 1 }, { a: 1 }, {}, {}]);
    expect((await errorOf(things.createIndex({ a: 1 }, { unique: true }))).code).toBe(11000);
    await things.deleteOne({ a: 1 });
    await things.createIndex({ a: 1 }, { unique: true, sparse: true });
    expect((await errorOf(things.insertOne({ a: 1 }))).keyValue).toEqual({ a: 1 });
    expect((await errorOf(things.insertOne({ a: [3, 1] }))).code).toBe(11000);
    await things.insertOne({});
    expect(await things.countDocuments({ a: null })).toBe(3);
    expect(
      (
        await errorOf(
          things.createIndex({ b: 1, c: 1 }).then(() => things.insertOne({ b: [1], c: [1] })),
        )
      ).code,
    ).toBe(171);
  });
});

describe('what is not supported', () => {
  it.each([
    ['collation', 238, { find: 'x', collation: { locale: 'de' } }],
    ['views', 238, { create: 'v', viewOn: 'x', pipeline: [] }],
    ['capped collections', 238, { create: 'v', capped: true, size: 1000 }],
    ['time series', 238, { create: 'v', timeseries: { timeField: 't' } }],
    ['validators', 238, { create: 'v', validator: { $jsonSchema: {} } }],
    ['change streams', 40573, { aggregate: 'x', pipeline: [{ $changeStream: {} }], cursor: {} }],
    ['other stages', 238, { aggregate: 'x', pipeline: [{ $setWindowFields: {} }], cursor: {} }],
    ['snapshots outside of transactions', 238, { find: 'x', readConcern: { level: 'snapshot' } }],
    ['more members than there are', 100, { insert: 'x', documents: [{}], writeConcern: { w: 3 } }],
    ['unknown stages', 40324, { aggregate: 'x', pipeline: [{ $foo: {} }], cursor: {} }],
    ['unknown fields', 40415, { find: 'x', foo: 1 }],
    ['unknown commands', 59, { foo: 1 }],
    ['map-reduce', 115, { mapReduce: 'x' }],
    ['a name that is none', 73, { find: '' }],
    ['a cursorless aggregate', 9, { aggregate: 'x', pipeline: [] }],
    ['a wrong type', 14, { find: 'x', filter: 5 }],
    ['a collection twice', 48, { create: 'x' }],
    ['indexes of nothing', 26, { listIndexes: 'nothing' }],
  ] as [string, number, Document][])('%s: code %d', async (_, code, command) => {
    await test.db.createCollection('x').catch(() => {});
    expect((await errorOf(test.db.command(command))).code).toBe(code);
  });
});

describe('collections', () => {
  it('are listed, renamed and dropped', async () => {
    const client = await new MongoClient(test.server.uri).connect();
    const db = client.db('other');
    await db.createCollection('a');
    await db.collection('a').insertOne({ x: 1 });
    await db.renameCollection('a', 'b');
    expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([
      { name: 'b', type: 'collection' },
    ]);
    expect(await db.collection('b').distinct('x')).toEqual([1]);
    const { databases } = await client.db().admin().listDatabases();
    expect(databases.map(({ name }) => name)).toContain('other');
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
    await client.close();
  });
});

describe('aggregation', () => {
  it('joins, unfolds, groups and counts', async () => {
    const [orders, items] = [collection(), collection()];
    await orders.insertMany([
      { _id: 1 as never, items: [1, 2] },
      { _id: 2 as never, items: [] },
    ]);
    await items.insertMany([
      { _id: 1 as never, price: 5 },
      { _id: 2 as never, price: 7 },
    ]);
    const joined = await orders
      .aggregate([
        {
          $lookup: {
            from: items.collectionName,
            localField: 'items',
            foreignField: '_id',
            as: 'found',
          },
        },
        { $unwind: { path: '$found', preserveNullAndEmptyArrays: true } },
        {
          $group: {
            _id: '$_id',
            total: { $sum: '$found.price' },
            prices: { $push: '$found.price' },
          },
        },
        { $sort: { _id: 1 } },
        { $project: { total: 1, prices: 1, half: { $divide: ['$total', 2] } } },
      ])
      .toArray();
    expect(joined).toEqual([
      { _id: 1, total: 12, prices: [5, 7], half: 6 },
      { _id: 2, total: 0, prices: [], half: 0 },
    ]);
    const facets = await items
      .aggregate([{ $facet: { n: [{ $count: 'n' }], dear: [{ $match: { price: { $gt: 6 } } }] } }])
      .toArray();
    expect(facets).toEqual([{ n: [{ n: 2 }], dear: [{ _id: 2, price: 7 }] }]);
  });

  it('writes with $out and $merge', async () => {
    const things = collection();
    await things.insertMany(numbers(20));
    await things.aggregate([{ $match: { n: 1 } }, { $out: 'written' }]).toArray();
    await things
      .aggregate([{ $match: { n: 2 } }, { $set: { m: 1 } }, { $merge: { into: 'written' } }])
      .toArray();
    await things
      .aggregate([
        { $match: { n: 1 } },
        { $project: { m: { $literal: 2 } } },
        { $merge: 'written' },
      ])
      .toArray();
    expect(await test.db.collection('written').find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, n: 1, m: 2 },
      { _id: 2, n: 2, m: 1 },
      { _id: 11, n: 1, m: 2 },
      { _id: 12, n: 2, m: 1 },
    ]);
  });
});

import { errorOf, type TestServer, testServer } from './helper.ts';

interface Thing {
  _id: number;
  pad?: string;
}
let test: TestServer;
beforeAll(async () => {
  test = await testServer();
});
afterAll(() => test.stop());

const things = (name: string) => test.db.collection<Thing>(name);

describe('what takes more than 100 MB', () => {
  const big = () => things('big');
  beforeAll(async () => {
    const pad = 'x'.repeat(12_000_000);
    for (let _id = 0; _id < 9; _id++) await big().insertOne({ _id, pad: `${_id}${pad}` });
  });

  it.each<[string, number, object[], string]>([
    [
      'a $lookup of one document',
      4568,
      [{ $limit: 1 }, { $lookup: { from: 'big', pipeline: [], as: 'all' } }],
      "Total size of documents in big matching pipeline's $lookup stage exceeds 104857600 bytes",
    ],
    [
      'what $push has gathered',
      146,
      [{ $group: { _id: null, all: { $push: '$pad' } } }],
      '$push used too much memory and cannot spill to disk. Memory limit: 104857600 bytes',
    ],
    [
      'what $addToSet has gathered',
      146,
      [{ $group: { _id: null, all: { $addToSet: '$pad' } } }],
      '$addToSet used too much memory and cannot spill to disk. Memory limit: 104857600 bytes',
    ],
  ])('%s is refused', async (_, code, pipeline, message) => {
    const counted = [...pipeline, { $project: { n: { $size: '$all' } } }];
    const error = await errorOf(big().aggregate(counted).toArray());
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });

  it('is not refused where it is not kept at the same time', async () => {
    const joined = [
      { $match: { _id: { $lt: 8 } } },
      { $lookup: { from: 'big', localField: '_id', foreignField: '_id', as: 'all' } },
      { $project: { n: { $size: '$all' } } },
      { $group: { _id: null, n: { $sum: '$n' } } },
    ];
    expect(await big().aggregate(joined).toArray()).toEqual([{ _id: null, n: 8 }]);
    const same = [
      { $group: { _id: null, all: { $addToSet: { $substrBytes: ['$pad', 1, 9e6] } } } },
    ];
    expect(
      await big()
        .aggregate([...same, { $project: { n: { $size: '$all' } } }])
        .toArray(),
    ).toEqual([{ _id: null, n: 1 }]);
  });

  it('counts without what was removed before', async () => {
    const without = { $project: { pad: 0 } };
    const joined = [{ $limit: 1 }, { $lookup: { from: 'big', pipeline: [without], as: 'all' } }];
    const pushed = [without, { $group: { _id: null, all: { $push: '$$ROOT' } } }];
    for (const pipeline of [joined, pushed]) {
      const counted = [...pipeline, { $project: { _id: 0, n: { $size: '$all' } } }];
      expect(await big().aggregate(counted).toArray()).toEqual([{ n: 9 }]);
    }
  });

  it('is refused by a sort without an index that has to keep it', async () => {
    const sorted = (limit: number) =>
      big().find().project({ _id: 1 }).sort({ pad: -1 }).limit(limit).toArray();
    expect((await errorOf(sorted(0))).code).toBe(292);
    expect(await sorted(3)).toEqual([{ _id: 8 }, { _id: 7 }, { _id: 6 }]);
  });

  it('is refused by distinct beyond 16 MB', async () => {
    expect((await errorOf(big().distinct('pad'))).code).toBe(17217);
    expect(await big().distinct('pad', { _id: 3 })).toHaveLength(1);
  });
});

describe('a reply', () => {
  const MANY = 12_000;
  beforeAll(async () => {
    await things('many').insertMany(Array.from({ length: MANY }, (_, _id) => ({ _id })));
  });

  it('has ten thousand documents at most, whatever is asked for', async () => {
    const { cursor } = await test.db.command({ find: 'many', batchSize: 100_000 });
    expect([cursor.firstBatch.length, cursor.id > 0]).toEqual([10_000, true]);
    const more = await test.db.command({ getMore: cursor.id, collection: 'many' });
    expect([more.cursor.nextBatch.length, Number(more.cursor.id)]).toEqual([MANY - 10_000, 0]);
  });

  it('that is to be the only one has all', async () => {
    const only = { find: 'many', batchSize: MANY, singleBatch: true };
    expect((await test.db.command(only)).cursor.firstBatch).toHaveLength(MANY);
  });
});

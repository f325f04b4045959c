import { BSONSymbol, type Db, type Document } from 'mongodb';
import { type TestServer, testServer } from './helper.ts';

describe('a symbol equals the string of its characters', () => {
  let server: TestServer;
  let db: Db;

  beforeAll(async () => {
    server = await testServer();
    db = server.db;
    await documents().insertMany([
      { _id: 1, a: new BSONSymbol('x') },
      { _id: 2, a: 'x' },
      { _id: 3, a: new BSONSymbol('y') },
      { _id: 4, a: [new BSONSymbol('x')] },
    ]);
  });
  afterAll(() => server.stop());

  const documents = () => db.collection<{ _id: number; [field: string]: unknown }>('s');

  const idsOf = async (filter: Document): Promise<unknown[]> => {
    const found = await documents().find(filter).sort({ _id: 1 }).toArray();
    return found.map(({ _id }) => _id);
  };

  const FILTERS: [Document, number[]][] = [
    [{ a: 'x' }, [1, 2, 4]],
    [{ a: new BSONSymbol('x') }, [1, 2, 4]],
    [{ a: { $in: ['x', 'z'] } }, [1, 2, 4]],
    [{ a: { $ne: 'x' } }, [3]],
    [{ a: { $gt: 'x' } }, [3]],
    [{ a: { $lte: new BSONSymbol('x') } }, [1, 2, 4]],
    [{ a: /^x/ }, [1, 2, 4]],
    [{ a: { $type: 'symbol' } }, [1, 3, 4]],
    [{ a: { $type: 'string' } }, [2]],
    [{ $expr: { $eq: ['$a', 'x'] } }, [1, 2]],
    [{ $expr: { $in: ['$a', ['x']] } }, [1, 2]],
  ];

  it.each(FILTERS)('for the filter %j', async (filter, wanted) => {
    expect(await idsOf(filter)).toEqual(wanted);
  });

  it('for an index', async () => {
    await documents().createIndex({ a: 1 });
    for (const [filter, wanted] of FILTERS) expect(await idsOf(filter)).toEqual(wanted);
    await db.collection('u').createIndex({ a: 1 }, { unique: true });
    await db.collection('u').insertOne({ a: 'x' });
    await expect(db.collection('u').insertOne({ a: new BSONSymbol('x') })).rejects.toMatchObject({
      code: 11000,
    });
  });

  it('for groups, distinct values and sets', async () => {
    const groups = await documents()
      .aggregate([
        { $match: { _id: { $lt: 4 } } },
        { $group: { _id: '$a', n: { $sum: 1 } } },
        { $sort: { n: 1 } },
      ])
      .toArray();
    expect(groups.map(({ n }) => n)).toEqual([1, 2]);
    expect(await documents().distinct('a')).toHaveLength(2);
    const [set] = await documents()
      .aggregate([{ $match: { _id: 1 } }, { $project: { u: { $setUnion: [['$a'], ['x']] } } }])
      .toArray();
    expect(set?.u).toHaveLength(1);
    await documents().updateOne({ _id: 4 }, [{ $set: { a: { $setUnion: ['$a', ['x']] } } }]);
    expect((await documents().findOne({ _id: 4 }))?.a).toHaveLength(1);
  });

  it('for the operators that take the text of a value', async () => {
    const [made] = await documents()
      .aggregate([{ $match: { _id: 1 } }, { $project: { u: { $toUpper: '$a' } } }])
      .toArray();
    expect(made?.u).toBe('X');
  });
});

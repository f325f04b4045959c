import { type Document, Double, Long } from 'mongodb';
import { errorOf, type TestServer, testServer } from './helper.ts';

let test: TestServer;
let n = 0;
beforeAll(async () => {
  test = await testServer();
});
afterAll(() => test.stop());

const collection = () => test.db.collection<Document>(`c${n++}`);

/** The _ids that a filter finds among the documents, which get the _ids 0, 1, 2… */
const MATCHES: [string, Document[], Document, number[]][] = [
  ['equality reaches into arrays', [{ a: [1, 2] }, { a: 1 }, { a: 3 }], { a: 1 }, [0, 1]],
  [
    'equality of a whole array',
    [{ a: [1, 2] }, { a: [[1, 2]] }, { a: [2, 1] }],
    { a: [1, 2] },
    [0, 1],
  ],
  [
    'null finds missing and null',
    [{}, { a: null }, { a: 1 }, { a: [null] }, { a: [] }],
    { a: null },
    [0, 1, 3],
  ],
  ['null below a scalar', [{ a: 5 }, { a: [] }, { a: [{}] }], { 'a.b': null }, [0, 2]],
  [
    '$gt within its type',
    [{ a: 5 }, { a: 'x' }, { a: null }, { a: [1, 7] }],
    { a: { $gt: 4 } },
    [0, 3],
  ],
  [
    '$gt and $lt by different elements',
    [{ a: [1, 9] }, { a: [5] }, { a: [9] }],
    { a: { $gt: 4, $lt: 6 } },
    [0, 1],
  ],
  [
    '$elemMatch by one element',
    [{ a: [1, 9] }, { a: [5] }],
    { a: { $elemMatch: { $gt: 4, $lt: 6 } } },
    [1],
  ],
  [
    '$elemMatch of documents',
    [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }, { c: 2 }] }],
    { a: { $elemMatch: { b: 1, c: 2 } } },
    [0],
  ],
  ['$lte null', [{}, { a: null }, { a: 0 }], { a: { $lte: null } }, [0, 1]],
  ['$ne', [{ a: 1 }, { a: [1, 2] }, {}], { a: { $ne: 1 } }, [2]],
  [
    '$in with a regular expression',
    [{ a: 'abc' }, { a: 2 }, { a: 'x' }],
    { a: { $in: [/^a/, 2] } },
    [0, 1],
  ],
  [
    '$in of many',
    [{ a: 1 }, { a: 2 }, { a: 99 }],
    { a: { $in: Array.from({ length: 40 }, (_, i) => i) } },
    [0, 1],
  ],
  ['$nin', [{ a: 1 }, { a: [2] }, {}], { a: { $nin: [1, 2] } }, [2]],
  ['$exists', [{ a: null }, {}], { a: { $exists: true } }, [0]],
  ['$not', [{ a: 5 }, { a: 1 }, {}], { a: { $not: { $gt: 3 } } }, [1, 2]],
  [
    '$and, $or, $nor',
    [{ a: 1, b: 1 }, { a: 1 }, { b: 2 }],
    { $and: [{ $or: [{ a: 1 }, { b: 2 }] }, { $nor: [{ b: 1 }] }] },
    [1, 2],
  ],
  ['$all', [{ a: [1, 2, 3] }, { a: [1] }, { a: 1 }], { a: { $all: [1, 2] } }, [0]],
  ['$size', [{ a: [1, 2] }, { a: [[1, 2]] }, { a: 2 }], { a: { $size: 2 } }, [0]],
  ['$mod', [{ a: 10 }, { a: 11 }, { a: 10.9 }, { a: 'x' }], { a: { $mod: [5, 0] } }, [0, 2]],
  [
    '$type of numbers',
    [{ a: 1 }, { a: new Double(1) }, { a: Long.fromNumber(1) }],
    { a: { $type: 'double' } },
    [1],
  ],
  [
    '$type number and array',
    [{ a: 1 }, { a: [] }, { a: 'x' }],
    { a: { $type: ['number', 'array'] } },
    [0, 1],
  ],
  [
    '$regex with $options',
    [{ a: 'Foo' }, { a: 'bar' }],
    { a: { $regex: '^fo', $options: 'i' } },
    [0],
  ],
  [
    'regular expressions end before a last line feed',
    [{ a: 'x\n' }, { a: 'xy' }],
    { a: /x$/ },
    [0],
  ],
  ['$bitsAllSet', [{ a: 7 }, { a: 2 }, { a: -1 }], { a: { $bitsAllSet: 5 } }, [0, 2]],
  ['$bitsAnyClear', [{ a: 7 }, { a: 2 }], { a: { $bitsAnyClear: [0, 1] } }, [1]],
  [
    '$expr',
    [
      { a: 2, b: 1 },
      { a: 1, b: 2 },
    ],
    { $expr: { $gt: ['$a', '$b'] } },
    [0],
  ],
  ['an index in a path', [{ a: [5, 6] }, { a: [6, 5] }], { 'a.1': 6 }, [0]],
  ['a path through arrays', [{ a: [{ b: [{ c: 1 }] }] }, { a: [[{ b: 1 }]] }], { 'a.b.c': 1 }, [0]],
  ['nothing below an element that is a scalar', [{ a: [1] }, { a: [{}] }], { 'a.0.b': null }, [1]],
  ['NaN', [{ a: Number.NaN }, { a: 1 }], { a: { $gte: Number.NaN } }, [0]],
  [
    'whole documents, in their order',
    [{ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }],
    { a: { x: 1, y: 2 } },
    [0],
  ],
  [
    'long, double and int by value',
    [{ a: Long.fromNumber(2) }, { a: new Double(2) }, { a: 2 }],
    { a: 2 },
    [0, 1, 2],
  ],
];

const FAILING: [string, number, Document][] = [
  ['unknown operator', 2, { a: { $foo: 1 } }],
  ['unknown top level operator', 2, { $foo: [] }],
  ['$and of nothing', 2, { $and: [] }],
  ['$in without a list', 2, { a: { $in: 1 } }],
  ['a broken regular expression', 51091, { a: { $regex: '(' } }],
  ['what JavaScript cannot match', 51091, { a: { $regex: '\\Aa' } }],
  ['$where', 238, { $where: 'true' }],
  ['$text', 27, { $text: { $search: 'x' } }],
  ['$near', 291, { a: { $near: [1, 2] } }],
  ['$jsonSchema', 238, { $jsonSchema: {} }],
];

describe('queries', () => {
  it.each(MATCHES)('%s', async (_, documents, filter, wanted) => {
    const things = collection();
    await things.insertMany(documents.map((document, _id) => ({ _id: _id as never, ...document })));
    for (const index of [undefined, { a: 1 }, { a: -1 }] as const) {
      if (index) await things.createIndex(index);
      const found = await things.find(filter).sort({ _id: 1 }).toArray();
      expect(found.map(({ _id }) => _id)).toEqual(wanted);
      expect(await things.countDocuments(filter)).toBe(wanted.length);
      const part = await things.countDocuments(filter, { skip: 1, limit: 2 });
      expect(part).toBe(Math.min(2, Math.max(0, wanted.length - 1)));
    }
  });

  it.each(FAILING)('refuses %s with code %d', async (_, code, filter) => {
    const things = collection();
    expect((await errorOf(things.find(filter).toArray())).code).toBe(code);
  });
});

describe('a unique index', () => {
  it('finds each of several keys once, in their order, portion by portion', async () => {
    const c = collection();
    await c.insertMany([1, 2, 3, 4].map((_id) => ({ _id }) as never));
    const wanted = { _id: { $in: [4, 9, 2, 3, 2] } } as never;
    const ids = await c.find(wanted, { batchSize: 1 }).toArray();
    expect(ids.map(({ _id }) => _id)).toEqual([2, 3, 4]);
    const last = await c.find(wanted).sort({ _id: -1 }).limit(2).toArray();
    expect(last.map(({ _id }) => _id)).toEqual([4, 3]);
    const { matchedCount } = await c.updateMany({ ...(wanted as object), a: null }, [
      { $set: { a: 1 } },
    ]);
    expect(matchedCount).toBe(3);
  });

  it('finds any value in descending order, alone and among others', async () => {
    const c = collection();
    await c.createIndex({ a: -1 }, { unique: true });
    const values = [-5, -0.3, 0, 5, 'x', '', null, true, new Date(5)];
    await c.insertMany(values.map((a) => ({ a })));
    for (const a of values) expect(await c.find({ a }).toArray()).toHaveLength(1);
    expect(await c.find({ a: { $in: values } }).toArray()).toHaveLength(values.length);
  });
});

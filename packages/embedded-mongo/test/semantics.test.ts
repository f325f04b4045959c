import {
  type Document,
  type Literal,
  MAX_KEY,
  MIN_KEY,
  Regex,
  toDocument,
} from '../bson/values.ts';
import { type TestEngine, testEngine } from './engine.ts';

let test: TestEngine;
beforeAll(() => {
  test = testEngine();
});
afterAll(() => test.close());

const regex = new Regex('foo', '');

async function ids(documents: Literal[], filter: Literal, index?: Literal): Promise<unknown[]> {
  await test.send({ drop: 'c' });
  await test.send({ insert: 'c', documents });
  if (index) await test.send({ createIndexes: 'c', indexes: [index] });
  return (await test.find('c', filter)).map((document) => document.get('_id'));
}

async function aggregate(documents: Literal[], ...pipeline: Literal[]): Promise<Literal> {
  await ids(documents, {});
  const reply = await test.send({ aggregate: 'c', pipeline, cursor: {} });
  return (reply.get('cursor') as Document).get('firstBatch') as Document[] as Literal;
}

const byA = { key: { a: 1 }, name: 'a' };
const byAB = { key: { 'a.b': 1 }, name: 'ab' };

describe.each([undefined, byA, byAB])('filters, with the index %j', (index) => {
  it.each<[string, Literal[], Literal, number[]]>([
    [
      '$eq and a regular expression',
      [
        { _id: 1, a: 'foo' },
        { _id: 2, a: regex },
      ],
      { a: { $eq: regex } },
      [2],
    ],
    [
      'an element by its position, which is not unfolded',
      [
        { _id: 1, a: [[5]] },
        { _id: 2, a: [5] },
      ],
      { 'a.0': 5 },
      [2],
    ],
    [
      '$elemMatch and an array within the array',
      [
        { _id: 1, a: [[{ b: 1 }]] },
        { _id: 2, a: [{ b: 1 }] },
        { _id: 3, a: [[7]] },
      ],
      { $or: [{ a: { $elemMatch: { b: 1 } } }, { a: { $elemMatch: { 0: 7 } } }] },
      [2, 3],
    ],
    ['$gt: MinKey', [{ _id: 1 }, { _id: 2, a: null }], { a: { $gt: MIN_KEY } }, [1, 2]],
    ['$lt: MaxKey', [{ _id: 1 }, { _id: 2, a: 1 }], { a: { $lt: MAX_KEY } }, [1, 2]],
  ])('%s', async (_, documents, filter, expected) => {
    expect(await ids(documents, filter, index)).toEqual(expected);
  });
});

it('a partial index on a type of value is not used for a pattern', async () => {
  const anchored = new Regex('^foo', '');
  const partial = { ...byA, partialFilterExpression: { a: { $type: 'regex' } } };
  const documents = [
    { _id: 1, a: 'foo' },
    { _id: 2, a: anchored },
  ];
  expect(await ids(documents, { a: anchored }, partial)).toEqual([1, 2]);
});

describe('groups', () => {
  it('keep null, and leave out only what is missing', async () => {
    const group = { _id: null, p: { $push: '$v' }, s: { $addToSet: '$v' } };
    const documents = [{ _id: 1, v: null }, { _id: 2 }];
    const expected = [toDocument({ _id: null, p: [null], s: [null] })];
    expect(await aggregate(documents, { $group: group })).toEqual(expected);
  });

  it('add doubles up without losing what each sum rounds off', async () => {
    const documents = Array.from({ length: 10 }, (_, _id) => ({ _id, v: 0.1 }));
    const group = { _id: null, s: { $sum: '$v' }, a: { $avg: '$v' } };
    const [sums] = (await aggregate(documents, { $group: group })) as Document[];
    expect(JSON.stringify([sums?.get('s'), sums?.get('a')])).toBe('[{"value":1},{"value":0.1}]');
  });
});

it('$zip fills up what is too short, and leaves null as it is', async () => {
  const zip = { inputs: [[null], [1, 2]], useLongestLength: true, defaults: ['d', 'e'] };
  const [shown] = (await aggregate([{ _id: 1 }], { $project: { z: { $zip: zip } } })) as Document[];
  expect(shown?.get('z')).toEqual([
    [null, 1],
    ['d', 2],
  ]);
});

it('$lookup by a regular expression finds its equals', async () => {
  const documents = [
    { _id: 1, k: [regex, 'x'] },
    { _id: 2, s: 'foo' },
    { _id: 3, s: regex },
    { _id: 4, s: 'x' },
  ];
  const lookup = { from: 'c', localField: 'k', foreignField: 's', as: 'r' };
  const [found] = (await aggregate(
    documents,
    { $match: { _id: 1 } },
    { $lookup: lookup },
  )) as Document[];
  const joined = found?.get('r') as Document[] | undefined;
  expect(joined?.map((document) => document.get('_id'))).toEqual([3, 4]);
});

it('facets may hold more than fits on a stack', async () => {
  const pipeline = [
    { $project: { r: { $range: [0, 200_000] } } },
    { $project: { r: { $concatArrays: ['$r', [1]] } } },
    { $facet: { all: [{ $unwind: '$r' }] } },
    { $project: { n: { $size: '$all' } } },
  ];
  const [counted] = (await aggregate([{ _id: 1 }], ...pipeline)) as Document[];
  expect(counted?.get('n')).toBe(200_001);
});

it.each<[number, { [field: string]: Literal }]>([
  [238, { find: 'c', sort: { 'a.0': 1 } }],
  [31276, { find: 'c', filter: { a: 1, b: 1 }, projection: { 'a.$': 1, 'b.$': 1 } }],
  [31255, { find: 'c', filter: { a: 1 }, projection: { 'a.$': 1, b: { $elemMatch: { c: 1 } } } }],
  [40601, { aggregate: 'c', pipeline: [{ $out: 'd' }, { $match: {} }], cursor: {} }],
  [51091, { find: 'c', filter: { a: new Regex('^(a+)+$', '') } }],
  [51091, { find: 'c', filter: { a: new Regex('((a*)b?){2,}c', '') } }],
])('%i is answered to %j', async (code, command) => {
  expect((await test.send(command)).get('code')).toBe(code);
});

it.each<[Literal, Literal | undefined, number | undefined]>([
  [{ 'a.0': 5, 'a.$[]': 1 }, undefined, 40],
  [{ 'a.$[x]': 5, 'a.$[y]': 1 }, [{ x: { $gt: 0 } }, { y: { $gt: 1 } }], 40],
  [{ 'a.$[x]': 5, 'a.$[y]': 1 }, [{ x: 1 }, { y: 2 }], undefined],
])('an update of one element by two names is refused: %j', async ($set, arrayFilters, code) => {
  await ids([{ _id: 1, a: [1, 2] }], {});
  const update = { q: { _id: 1 }, u: { $set }, ...(arrayFilters ? { arrayFilters } : {}) };
  const reply = await test.send({ update: 'c', updates: [update] });
  const [error] = (reply.get('writeErrors') ?? []) as Document[];
  expect(error?.get('code')).toBe(code);
});

it('a repetition that holds none is no reason to refuse a pattern', async () => {
  const documents = [{ _id: 1, a: '10.2.3.40' }];
  const pattern = new Regex('^[0-9+]+(\\.[0-9]{1,3}){3}(a|\\+)*$', '');
  expect(await ids(documents, { a: pattern })).toEqual([1]);
});

import type { Document, Literal } from '../bson/values.ts';
import { checkStore } from '../storage/check.ts';
import { leftoverTables } from '../storage/leftovers.ts';
import { insertMany, MANY, pingsDuring, type TestEngine, testEngine, turns } from './engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = testEngine();
  await insertMany(test, 't');
});
afterEach(async () => {
  expect(checkStore(test.engine.store)).toEqual([]);
  const { store } = test.engine;
  while (store.leftovers.length > 0) await turns(1);
  expect(leftoverTables(store.main)).toEqual([]);
  test.close();
});

const aggregate = (collection: string, ...pipeline: Literal[]) =>
  test.send({ aggregate: collection, pipeline, cursor: { batchSize: 100_000 } });

const resultsOf = (reply: Document): Document[] =>
  (reply.get('cursor') as Document).get('firstBatch') as Document[];

describe('others have their turns during', () => {
  beforeEach(() => test.send({ insert: 'few', documents: [1, 2, 3].map((p) => ({ _id: p, p })) }));

  it.each<[string, string, Literal[]]>([
    ['$unionWith', 'few', [{ $unionWith: 't' }, { $count: 'n' }]],
    ['a $lookup', 'few', [{ $lookup: { from: 't', localField: 'p', foreignField: 'p', as: 'l' } }]],
    [
      '$lookups of one document',
      'few',
      [
        { $limit: 1 },
        { $lookup: { from: 't', pipeline: [], as: 'l' } },
        { $lookup: { from: 't', pipeline: [], as: 'm' } },
        { $lookup: { from: 't', pipeline: [], as: 'n' } },
      ],
    ],
    [
      '$facet',
      't',
      [{ $facet: { a: [{ $group: { _id: '$_id' } }, { $limit: 1 }] } }, { $unset: 'a' }],
    ],
    ['a $project after a $sort', 't', [{ $group: { _id: '$_id' } }, { $project: { p: 1 } }]],
    ['$out', 't', [{ $out: 'written' }]],
    ['$merge', 't', [{ $merge: 'written' }]],
    ['$merge into itself', 't', [{ $set: { p: 3 } }, { $merge: 't' }]],
  ])('%s', async (_, collection, pipeline) => {
    const pings = await pingsDuring(test, () => aggregate(collection, ...pipeline));
    expect(pings).toBeGreaterThan(10);
  });

  it('many stages over a document of many fields', async () => {
    const fields = Array.from({ length: 20_000 }, (_, n): [string, number] => [`f${n}`, n]);
    await test.send({ insert: 'wide', documents: [Object.fromEntries(fields)] });
    const stages = Array.from({ length: 100 }, () => ({ $set: { f1: 1 } }));
    expect(await pingsDuring(test, () => aggregate('wide', ...stages))).toBeGreaterThan(50);
  });

  it('a reply of many documents', async () => {
    const documents = Array.from({ length: 10_000 }, (_, _id) => ({ _id, p: `p${_id}`.repeat(9) }));
    await test.send({ insert: 'many', documents });
    const find = { find: 'many', projection: { q: { $toUpper: '$p' } }, batchSize: 10_000 };
    expect(await pingsDuring(test, () => test.send(find))).toBeGreaterThan(10);
  });

  it('a drop of what is large', async () => {
    const drop = async () => {
      const reply = await test.send({ drop: 't' });
      while (test.engine.store.leftovers.length > 0) await turns(1);
      return reply;
    };
    expect(await pingsDuring(test, drop)).toBeGreaterThan(50);
  });
});

describe('a pipeline that yields', () => {
  it('ends with maxTimeMS', async () => {
    const pipeline = [
      { $limit: 1000 },
      { $lookup: { from: 't', localField: 'pad', foreignField: 'p', as: 'l' } },
    ];
    const reply = await test.send({ aggregate: 't', pipeline, cursor: {}, maxTimeMS: 20 });
    expect(reply.get('code')).toBe(50);
  });

  it('finds what it found without yields', async () => {
    await test.send({ insert: 'few', documents: [{ _id: 'a', p: 3 }] });
    const [joined] = resultsOf(
      await aggregate(
        'few',
        { $lookup: { from: 't', localField: 'p', foreignField: 'p', as: 'l' } },
        { $set: { n: { $size: '$l' } } },
        { $unset: 'l' },
      ),
    );
    expect(joined?.get('n')).toBe([...Array(MANY).keys()].filter((id) => id % 7 === 3).length);
    const union = [{ $unionWith: { coll: 't', pipeline: [{ $limit: 70 }] } }, { $count: 'n' }];
    expect(resultsOf(await aggregate('few', ...union))[0]?.get('n')).toBe(71);
    const limited = [
      { $sort: { p: 1, _id: -1 } },
      { $unset: 'pad' },
      { $skip: 65 },
      { $limit: 65 },
    ];
    expect(resultsOf(await aggregate('t', ...limited))).toHaveLength(65);
  });
});

it.each([1, 100, 5000])('a sort without an index finds the first %d', async (limit) => {
  const all = (await test.find('t', {})).map((document) => [
    document.get('p'),
    document.get('_id'),
  ]);
  const sorted = all.sort((a, b) => Number(b[0]) - Number(a[0]));
  const found = async (skip: number) => {
    const command = { find: 't', sort: { p: -1 }, skip, limit, batchSize: limit };
    const documents = resultsOf(await test.send(command));
    return documents.map((document) => [document.get('p'), document.get('_id')]);
  };
  expect(await found(0)).toEqual(sorted.slice(0, limit));
  expect(await found(300)).toEqual(sorted.slice(300, limit + 300));
});

describe('$out', () => {
  /** Runs a $out over `written` and returns while it runs. */
  async function beginOut(): Promise<{ done: Promise<Document> }> {
    const done = aggregate('t', { $out: 'written' });
    const isBegun = (): boolean => leftoverTables(test.engine.store.main).length > 0;
    while (!isBegun()) await turns(1);
    return { done };
  }
  beforeEach(async () => {
    await test.send({ insert: 'written', documents: [{ _id: 'old', p: 'old' }] });
    await test.send({ createIndexes: 'written', indexes: [{ key: { p: 1 }, name: 'p' }] });
  });
  const oldOnes = () => test.find('written', { p: 'old' });

  it('replaces the collection at its end, and keeps its indexes', async () => {
    const { done } = await beginOut();
    expect(await oldOnes()).toHaveLength(1);
    await test.send({ insert: 'written', documents: [{ _id: 'meanwhile', p: 'old' }] });
    expect((await done).get('errmsg')).toBeUndefined();
    expect(await test.find('written', {})).toHaveLength(MANY);
    expect(await oldOnes()).toHaveLength(0);
    const { firstBatch } = Object.fromEntries(
      (await test.send({ listIndexes: 'written' })).get('cursor') as Document,
    );
    expect(firstBatch).toHaveLength(2);
  });

  it.each<[string, number, { [field: string]: Literal }]>([
    ['its target is dropped', 125, { drop: 'written' }],
    [
      'its target gets an index',
      125,
      { createIndexes: 'written', indexes: [{ key: { n: 1 }, name: 'n' }] },
    ],
    ['its target loses an index', 125, { dropIndexes: 'written', index: 'p' }],
  ])('fails when %s meanwhile', async (_, code, command) => {
    const { done } = await beginOut();
    await test.send(command);
    expect((await done).get('code')).toBe(code);
    expect(await test.find('written', { _id: 0 })).toHaveLength(0);
  });

  it('leaves the collection as it was when a key is there twice', async () => {
    const unique = { key: { p: 1 }, name: 'unique', unique: true };
    await test.send({ dropIndexes: 'written', index: 'p' });
    await test.send({ createIndexes: 'written', indexes: [unique] });
    expect((await aggregate('t', { $out: 'written' })).get('code')).toBe(11000);
    expect(await oldOnes()).toHaveLength(1);
  });

  it('ends with the server, and leaves the collection as it was', async () => {
    const { done } = await beginOut();
    const crashed = testEngine(test);
    test.engine.sessions.close();
    expect((await done).get('code')).toBe(11600);
    test.close();
    test = crashed;
    expect(await oldOnes()).toHaveLength(1);
    expect(await test.find('written', {})).toHaveLength(1);
  });
});

it.each<[string, Literal[]]>([
  ['finds no unique index', [{ $merge: { into: 'none', on: 'p' } }]],
  ['has no documents', [{ $match: { p: -1 } }, { $merge: 'none' }]],
])('a $merge that %s makes no collection', async (_, pipeline) => {
  await aggregate('t', ...pipeline);
  expect((await test.send({ listIndexes: 'none' })).get('code')).toBe(26);
});

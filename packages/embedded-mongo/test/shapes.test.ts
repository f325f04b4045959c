import { compileStages } from '../aggregation/pipeline.ts';
import { collect, runStages } from '../aggregation/run.ts';
import type { StageContext } from '../aggregation/stage.ts';
import { variablesOf } from '../aggregation/variables.ts';
import { type Literal, toDocument, toValue, type Value } from '../bson/values.ts';
import type { MongoError } from '../errors.ts';
import { compileProjection } from '../query/projection.ts';

type Fields = { [name: string]: Literal };
const context: StageContext = {
  variables: variablesOf(),
  compile: compileStages,
  async *read() {},
  rest: () => Promise.resolve(),
};
const run = (given: Fields, ...pipeline: Fields[]) =>
  collect(runStages([[toDocument(given)]], pipeline.map(toValue), context));
const code = (n: number) => expect.objectContaining<Partial<MongoError>>({ code: n });

const TABLE: [string, Fields, Fields, Fields[]][] = [
  [
    'goes into arrays within arrays',
    { a: [[{ c: 1 }]] },
    { $addFields: { 'a.b': 1 } },
    [{ a: [[{ c: 1, b: 1 }]] }],
  ],
  [
    'makes documents of what is none',
    { a: [1, { c: 2 }], d: 5 },
    { $set: { 'a.b': 7, d: { e: 1 } } },
    [{ a: [{ b: 7 }, { c: 2, b: 7 }], d: { e: 1 } }],
  ],
  ['makes the document of a missing value', {}, { $set: { 'a.b': '$none' } }, [{ a: {} }]],
  ['removes', { a: 1, b: 2 }, { $set: { a: '$$REMOVE' } }, [{ b: 2 }]],
  [
    'sees the document as it was',
    { a: { b: 5 } },
    { $addFields: { 'a.b': 1, c: '$a.b' } },
    [{ a: { b: 1 }, c: 5 }],
  ],
  [
    'goes into arrays within arrays',
    { a: [[{ c: 1 }]], x: 7 },
    { $project: { 'a.b': '$x' } },
    [{ a: [[{ b: 7 }]] }],
  ],
  [
    'makes documents of what is none',
    { a: [1, { c: 2 }], x: 7 },
    { $project: { 'a.b': '$x' } },
    [{ a: [{ b: 7 }, { b: 7 }] }],
  ],
  [
    'keeps the place of what it makes a document',
    { a: 5, c: 1 },
    { $project: { 'a.b': '$c', c: 1 } },
    [{ a: { b: 1 }, c: 1 }],
  ],
  ['of nested fields', { a: [{ b: 1, c: 2 }, 3] }, { $unset: 'a.b' }, [{ a: [{ c: 2 }, 3] }]],
  ['knows no indexes', { a: [[1, 2]] }, { $unwind: '$a.0' }, []],
  [
    'puts the index where it is asked for',
    { a: [5], i: [1] },
    { $unwind: { path: '$a', includeArrayIndex: 'i.n' } },
    [{ a: 5, i: { n: 0n } }],
  ],
];

it.each(TABLE)('a stage %s: %j, %j', async (_, given, stage, wanted) => {
  const found = await run(given, stage);
  expect(found).toEqual(wanted.map(toDocument));
  expect(found.map((document) => [...document.keys()])).toEqual(wanted.map(Object.keys));
});

it.each<[number, Fields]>([
  [40176, { $addFields: { a: 1, 'a.b': 2 } }],
  [40176, { $addFields: { 'a.b': 2, a: { b: 1 } } }],
  [40180, { $set: { a: {} } }],
  [31249, { $unset: ['a', 'a.b'] }],
  [31250, { $unset: ['a.b', 'a'] }],
  [31252, { $project: { a: 0, b: '$a' } }],
])('%i: %j', async (n, stage) => {
  await expect(run({}, stage)).rejects.toThrow(code(n));
});

describe('a projection of find', () => {
  const project = (given: Fields, projection: Fields) =>
    compileProjection(toValue(projection) as Value, { ...context, filter: new Map() })?.(
      toDocument(given),
    );

  it('puts what $elemMatch picks after the other fields', () => {
    const shown = project(
      { g: [{ x: 1 }, { x: 2 }], j: 1, l: 2 },
      { g: { $elemMatch: { x: 2 } }, j: 1, l: 1 },
    );
    expect([...(shown ?? [])]).toEqual([...toDocument({ j: 1, l: 2, g: [{ x: 2 }] })]);
  });

  const full: Fields = { _id: 9, a: 1, c: [1, 2], d: [{ x: 1 }, { x: 2 }], z: 3 };
  const match = { $elemMatch: { x: 2 } };
  const found = [{ x: 2 }];

  it.each<[Fields, Fields]>([
    [
      { d: match, c: { $slice: 1 } },
      { _id: 9, a: 1, c: [1], d: found, z: 3 },
    ],
    [
      { c: { $slice: 1 }, d: match },
      { _id: 9, a: 1, c: [1], d: found, z: 3 },
    ],
    [
      { d: match, c: { $slice: 1 }, _id: 0 },
      { a: 1, c: [1], d: found, z: 3 },
    ],
    [
      { d: match, c: { $slice: 1 }, _id: 1 },
      { _id: 9, c: [1], d: found },
    ],
    [
      { d: match, c: { $slice: 1 }, a: 1 },
      { _id: 9, a: 1, c: [1], d: found },
    ],
    [
      { d: match, c: { $slice: 1 }, a: 0 },
      { _id: 9, c: [1], d: found, z: 3 },
    ],
    [
      { d: match, a: 0 },
      { _id: 9, c: [1, 2], d: found, z: 3 },
    ],
    [
      { d: { $elemMatch: { x: 7 } }, a: 0 },
      { _id: 9, c: [1, 2], z: 3 },
    ],
    [{ d: match }, { _id: 9, d: found }],
    [{ d: match, _id: 0 }, { d: found }],
    [
      { d: match, _id: 1 },
      { _id: 9, d: found },
    ],
    [{ c: { $slice: 1 } }, { _id: 9, a: 1, c: [1], d: [{ x: 1 }, { x: 2 }], z: 3 }],
    [
      { c: { $slice: 1 }, _id: 1 },
      { _id: 9, c: [1] },
    ],
  ])('with $elemMatch and $slice shows the fields that MongoDB shows: %j', (projection, wanted) => {
    const shown = project(full, projection);
    expect([...(shown ?? [])]).toEqual([...toDocument(wanted)]);
  });

  it('takes the $slice of an array that is computed', () => {
    expect(project({ a: [1, 2], b: [3, 4] }, { a: { $slice: ['$b', 1] } })).toEqual(
      toDocument({ a: [3] }),
    );
    expect(project({ a: [1, 2] }, { a: { $slice: [1, 1] } })).toEqual(toDocument({ a: [2] }));
  });
});

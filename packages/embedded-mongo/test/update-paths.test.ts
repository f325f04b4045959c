import { type Literal, toDocument } from '../bson/values.ts';
import type { MongoError } from '../errors.ts';
import { compileUpdate } from '../update/update.ts';

type Fields = { [name: string]: Literal };

const now = new Date(5);

/** Updates a document by the rules of MongoDB 7.0. Returns the document or the code of the error. */
function outcome(document: Fields, update: Fields, isInsert = false): Fields | number {
  const before = toDocument(document);
  const copy = structuredClone(before);
  try {
    const filters = JSON.stringify(update).includes('$[x]') ? [toDocument({ x: { $ne: 0 } })] : [];
    const run = compileUpdate(toDocument(update), filters);
    const working = run(before, { now, isInsert, matched: () => 0 });
    return Object.fromEntries(working.document) as Fields;
  } catch (error) {
    return (error as MongoError).code;
  } finally {
    expect(before).toEqual(copy);
  }
}

/** The document that a literal makes, in the form of `outcome`. */
const fields = (document: Fields): Fields => Object.fromEntries(toDocument(document)) as Fields;

const MISSING = undefined;
/** What an operator does that leaves the document as it is. */
const NOTHING = Symbol('nothing');
/** What $unset does: no field, but null in an array. */
const REMOVED = Symbol('removed');

type Kind = 'missing' | 'null' | 'string' | 'int' | 'empty' | 'array' | 'document';
const VALUES: Record<Kind, Literal> = {
  missing: MISSING,
  null: null,
  string: 's',
  int: 5,
  empty: [],
  array: [2, 1, 1],
  document: { b: 1 },
};

type Effect = Literal | typeof NOTHING | typeof REMOVED | { code: number };
const code = (n: number): Effect => ({ code: n });
const one = (effect: Effect): Record<Kind, Effect> => ({
  missing: effect,
  null: effect,
  string: effect,
  int: effect,
  empty: effect,
  array: effect,
  document: effect,
});
const arraysOnly = (refused: number, row: Partial<Record<Kind, Effect>>): Record<Kind, Effect> => ({
  ...one(code(refused)),
  ...row,
});

/** Each operator and its argument: what it makes of each kind of value. */
const OPERATORS: [string, Literal, Record<Kind, Effect>][] = [
  ['$set', 7, one(7)],
  ['$setOnInsert', 7, one(NOTHING)],
  ['$unset', '', { ...one(REMOVED), missing: NOTHING }],
  ['$inc', 2, { ...one(code(14)), missing: 2, int: 7 }],
  ['$mul', 2, { ...one(code(14)), missing: 0, int: 10 }],
  ['$min', 3, { ...one(3), null: NOTHING }],
  ['$max', 3, { ...one(NOTHING), missing: 3, null: 3 }],
  ['$bit', { or: 2 }, { ...one(code(2)), missing: 2, int: 7 }],
  ['$currentDate', true, one(now)],
  ['$push', 1, arraysOnly(2, { missing: [1], empty: [1], array: [2, 1, 1, 1] })],
  ['$addToSet', 1, arraysOnly(2, { missing: [1], empty: [1], array: NOTHING })],
  ['$pop', 1, arraysOnly(14, { missing: NOTHING, empty: NOTHING, array: [2, 1] })],
  ['$pop', -1, arraysOnly(14, { missing: NOTHING, empty: NOTHING, array: [1, 1] })],
  ['$pull', 1, arraysOnly(2, { missing: NOTHING, empty: NOTHING, array: [2] })],
  ['$pullAll', [1], arraysOnly(2, { missing: NOTHING, empty: NOTHING, array: [2] })],
];

/** Where a value may be: the path, the document around a value, and around an element that was removed. */
const PLACES: [string, string, (value?: Literal) => Fields, removed?: Fields][] = [
  ['at the top', 'a', (a) => ({ a })],
  ['in a document', 'd.a', (a) => ({ d: { a, c: 1 } })],
  ['in a document of an array', 'l.1.a', (a) => ({ l: [1, { a }] })],
  ['in an array', 'l.1', (a) => ({ l: a === MISSING ? [1] : [1, a] }), { l: [1, null] }],
  [
    'in an array, by a number with zeros',
    'l.01',
    (a) => ({ l: a === MISSING ? [1] : [1, a] }),
    { l: [1, null] },
  ],
  ['in a field with the name of an index', 'd.1', (a) => ({ d: { 1: a } })],
  ['by $', 'l.$.a', (a) => ({ l: [{ a }, 1] })],
  ['by $[]', 'l.$[].a', (a) => ({ l: [{ a }, { a }] })],
  ['by $[x]', 'l.$[x].a', (a) => ({ l: [0, { a }] })],
  ['below a field with a dollar', '$d.$a', (a) => ({ $d: { $a: a } })],
];

const CASES = OPERATORS.flatMap(([operator, argument, row]) =>
  PLACES.flatMap(([place, path, around, removed]) =>
    (Object.keys(row) as Kind[]).map((kind) => {
      const effect = row[kind];
      const before = around(VALUES[kind]);
      const after =
        effect === NOTHING
          ? before
          : effect === REMOVED
            ? (removed ?? around())
            : around(effect as Literal);
      const wanted = effect instanceof Object && 'code' in effect ? effect.code : fields(after);
      return [operator, kind, place, before, { [operator]: { [path]: argument } }, wanted] as const;
    }),
  ),
);

it.each(CASES)('%s of a value that is %s, %s', (_, _kind, _place, before, update, wanted) => {
  expect(outcome(before, update)).toEqual(wanted);
});

const CREATING = OPERATORS.filter(([name]) => !['$setOnInsert', '$unset'].includes(name));

/** Paths that cannot be: $unset finds nothing there, and all others say PathNotViable. */
const BLOCKED: [string, Fields, string][] = [
  ['through null', { a: null }, 'a.b'],
  ['through a scalar', { a: 5 }, 'a.b'],
  ['through a scalar by an index', { a: 5 }, 'a.0'],
  ['through a scalar, further', { a: { b: 's' } }, 'a.b.c.d'],
  ['into an array by a name', { a: [1] }, 'a.b'],
  ['into an empty array by a name', { a: [] }, 'a.b'],
  ['through an array by a name', { a: [{ b: 1 }] }, 'a.b.c'],
  ['into an array by a negative number', { a: [1] }, 'a.-1'],
  ['into an array by more than an index', { a: [1] }, 'a.4294967296'],
  ['through a scalar of an array', { a: [5] }, 'a.0.b'],
  ['through scalars by $[]', { a: [5] }, 'a.$[].b'],
  ['through scalars by $[x]', { a: [5] }, 'a.$[x].b'],
  ['through a scalar by $', { a: [5] }, 'a.$.b'],
];

describe.each(BLOCKED)('a path %s', (_, before, path) => {
  it.each(CREATING)('is refused by %s %j', (operator, argument) => {
    expect(outcome(before, { [operator]: { [path]: argument } })).toBe(28);
  });

  it('is nothing to $unset and to $setOnInsert', () => {
    expect(outcome(before, { $unset: { [path]: '' } })).toEqual(fields(before));
    expect(outcome(before, { $setOnInsert: { [path]: 1 } })).toEqual(fields(before));
    expect(outcome(before, { $setOnInsert: { [path]: 1 } }, true)).toBe(28);
  });
});

/** Array updates of what is no array are refused also where the operator would do nothing. */
describe.each<[string, Fields, string]>([
  ['$[] of what is missing', {}, 'a.$[]'],
  ['$[] of a scalar', { a: 5 }, 'a.$[]'],
  ['$[] of a document', { a: {} }, 'a.$[].b'],
  ['$[x] of what is missing', {}, 'a.$[x]'],
  ['$[x] of null', { a: null }, 'a.$[x].b'],
  ['$[] below what is missing', { a: [{}] }, 'a.$[].b.$[]'],
])('%s', (_, before, path) => {
  it.each(OPERATORS)('is refused by %s %j', (operator, argument) => {
    expect(outcome(before, { [operator]: { [path]: argument } })).toBe(2);
  });
});

it.each(OPERATORS)('%s %j of the elements of an empty array does nothing', (operator, argument) => {
  for (const path of ['a.$[]', 'a.$[].b', 'a.$[x].b'])
    expect(outcome({ a: [] }, { [operator]: { [path]: argument } })).toEqual({ a: [] });
});

describe('$rename', () => {
  it.each<[string, Fields, string, string, Fields | number]>([
    ['moves', { a: 1, b: 2 }, 'a', 'c', { b: 2, c: 1 }],
    ['makes documents', { a: 1 }, 'a', 'c.d', { c: { d: 1 } }],
    ['takes the place of its target', { a: 1, b: 2, c: 3 }, 'a', 'b', { b: 1, c: 3 }],
    ['moves an array', { a: [1] }, 'a', 'b', { b: [1] }],
    ['replaces an array', { a: 1, b: [1] }, 'a', 'b', { b: 1 }],
    ['of what is missing does nothing', { b: 1 }, 'a', 'b', { b: 1 }],
    ['of what is missing does not look at the target', { b: 1 }, 'a', 'b.c', { b: 1 }],
    ['from beyond the end of an array does nothing', { e: [] }, 'e.1', 'b', { e: [] }],
    ['below an end of an array does nothing', { e: [{}] }, 'e.0.x', 'b', { e: [{}] }],
    ['from an element', { e: [1, 2] }, 'e.1', 'b', 2],
    ['from below an element', { e: [{ x: 1 }] }, 'e.0.x', 'b', 2],
    ['from an array by a name', { e: [1] }, 'e.b', 'b', 28],
    ['from below a scalar', { e: 1 }, 'e.b', 'b', 28],
    ['from below null', { e: null }, 'e.b', 'b', 28],
    ['to below a scalar', { a: 1, b: 2 }, 'a', 'b.c', 28],
    ['to an element', { a: 1, b: [2] }, 'a', 'b.0', 2],
    ['to beyond the end of an array', { a: 1, b: [] }, 'a', 'b.3', 2],
    ['to an array by a name', { a: 1, b: [] }, 'a', 'b.c', 2],
    ['to below an element', { a: 1, b: [{}] }, 'a', 'b.0.c', 2],
    ['to itself', { a: 1 }, 'a', 'a', 2],
    ['to below itself', { a: 1 }, 'a', 'a.b', 2],
    ['to above itself', { a: { b: 1 } }, 'a.b', 'a', 2],
    ['from elements', { a: [1] }, 'a.$[]', 'b', 2],
    ['to elements', { a: [1], b: 1 }, 'b', 'a.$', 2],
    ['to a field with a dollar', { a: 1 }, 'a', '$b', 52],
    ['to no name', { a: 1 }, 'a', '', 56],
  ])('%s: %j', (_, before, from, to, wanted) => {
    const after = outcome(before, { $rename: { [from]: to } });
    expect(after).toEqual(typeof wanted === 'number' ? wanted : fields(wanted));
    if (typeof wanted === 'object') expect(Object.keys(after)).toEqual(Object.keys(wanted));
  });

  it('leaves an equal target its type, as MongoDB does', () => {
    expect(outcome({ a: 1, b: 1n }, { $rename: { a: 'b' } })).toEqual({ b: 1n });
  });
});

describe('new fields', () => {
  it.each<[Fields, string[]]>([
    [{ $set: { b: 1 }, $inc: { a: 1 } }, ['x', 'y', 'a', 'b']],
    [{ $rename: { y: 'a', x: 'b' } }, ['a', 'b']],
    [{ $rename: { x: 'b' }, $set: { a: 1, c: 1 } }, ['y', 'a', 'b', 'c']],
    [{ $set: { 10: 1, 9: 1, B: 1, a: 1 } }, ['x', 'y', '9', '10', 'B', 'a']],
    [{ $set: { '01': 1, 1: 1, 0: 1 } }, ['x', 'y', '0', '01', '1']],
    [{ $set: { '10a': 1, '9b': 1 } }, ['x', 'y', '9b', '10a']],
    [{ $set: { '\uffff': 1, '😀': 1 } }, ['x', 'y', '\uffff', '😀']],
  ])('come in the order of their paths: %j', (update, wanted) => {
    const before = toDocument({ x: 1, y: 2 });
    const run = { now, isInsert: false, matched: () => undefined };
    const { document } = compileUpdate(toDocument(update))(before, run);
    expect([...document.keys()]).toEqual(wanted);
  });

  it('of the elements of an array come in the order of their names, whichever part found them', () => {
    const update = toDocument({ $set: { 'l.$[x].b': 1, 'l.$[].c': 1, 'l.$[x].a': 1 } });
    const filters = [toDocument({ 'x.n': 1 })];
    const run = { now, isInsert: false, matched: () => undefined };
    const before = toDocument({ l: [{ n: 1 }, { n: 2 }] });
    expect(JSON.stringify(plain(compileUpdate(update, filters)(before, run).document))).toBe(
      '{"l":[{"n":1,"a":1,"b":1,"c":1},{"n":2,"c":1}]}',
    );
  });
});

const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]))
    : Array.isArray(value)
      ? value.map(plain)
      : value;

it.each<[string, number, Fields, Fields]>([
  ['$pull by $not', 2, { a: [1] }, { $pull: { a: { $not: { $gt: 0 } } } }],
  ['$pull by $eq', 2, { a: [1] }, { $pull: { a: { $eq: 1 } } }],
  ['$pull by an unknown operator', 2, { a: [1] }, { $pull: { a: { $foo: 1 } } }],
  ['$pull by $expr', 224, { a: [{}] }, { $pull: { a: { $expr: true } } }],
  ['$pull by $expr in $or', 224, { a: [{}] }, { $pull: { a: { $or: [{ $expr: true }] } } }],
  ['a sort by no name', 2, { a: [] }, { $push: { a: { $each: [], $sort: { '': 1 } } } }],
  [
    'a sort by a part of no name',
    2,
    { a: [] },
    { $push: { a: { $each: [], $sort: { 'a.': 1 } } } },
  ],
  ['a sort by nothing', 2, { a: [] }, { $push: { a: { $each: [], $sort: {} } } }],
  ['a sort by another number', 2, { a: [] }, { $push: { a: { $each: [], $sort: 2 } } }],
  ['a sort by a text', 2, { a: [] }, { $push: { a: { $each: [], $sort: 'a' } } }],
  [
    'a sort by a direction as a text',
    2,
    { a: [] },
    { $push: { a: { $each: [], $sort: { b: 'x' } } } },
  ],
  ['a slice by a text', 2, { a: [] }, { $push: { a: { $each: [], $slice: 'x' } } }],
  ['an unknown clause', 2, { a: [] }, { $push: { a: { $each: [], $foo: 1 } } }],
  ['$each of a scalar', 2, { a: [] }, { $push: { a: { $each: 1 } } }],
  ['$each of a scalar in $addToSet', 14, { a: [] }, { $addToSet: { a: { $each: 1 } } }],
  ['more than $each in $addToSet', 2, { a: [] }, { $addToSet: { a: { $each: [], b: 1 } } }],
  ['two $', 2, { a: [[1]] }, { $set: { 'a.$.$': 1 } }],
  ['$ at the start', 2, {}, { $set: { '$.a': 1 } }],
  ['$[] at the start', 2, {}, { $set: { '$[].a': 1 } }],
  ['$[] beside an index', 40, { a: [1] }, { $set: { 'a.$[]': 1, 'a.0': 1 } }],
  ['$[] and $[x] of one element', 40, { a: [1] }, { $set: { 'a.$[]': 1, 'a.$[x]': 1 } }],
  ['two operators of one path', 40, {}, { $set: { a: 1 }, $unset: { a: '' } }],
  [
    'two operators of which one is below the other',
    40,
    {},
    { $push: { a: 1 }, $set: { 'a.0': 1 } },
  ],
  ['$rename from what another changes', 40, {}, { $rename: { a: 'b' }, $set: { 'a.c': 1 } }],
  ['$rename to what another changes', 40, {}, { $rename: { a: 'b' }, $set: { b: 1 } }],
  ['too far beyond the end', 34, { a: [] }, { $set: { 'a.1500001': 1 } }],
  ['a new field with a dollar', 52, {}, { $set: { $a: 1 } }],
  ['below a new field with a dollar', 52, {}, { $set: { '$a.b': 1 } }],
  ['a changed field with a dollar', 52, { $a: 1 }, { $inc: { $a: 1 } }],
  ['an option of $currentDate', 2, {}, { $currentDate: { a: { $type: 'date', b: 1 } } }],
])('%s is refused with %i', (_, n, before, update) => {
  expect(outcome(before, update)).toBe(n);
});

it.each<[string, Fields, Fields, Fields]>([
  ['fields named like operators', {}, { $set: { 'a.$each': [1] } }, { a: { $each: [1] } }],
  ['a value with such fields', {}, { $set: { a: { $each: 1 } } }, { a: { $each: 1 } }],
  [
    'such fields below $push',
    {},
    { $push: { a: { b: { $each: 1 } } } },
    { a: [{ b: { $each: 1 } }] },
  ],
  [
    '$each after another field',
    {},
    { $addToSet: { a: { b: 1, $each: [] } } },
    { a: [{ b: 1, $each: [] }] },
  ],
  ['a removed field with a dollar', { $a: 1 }, { $unset: { $a: '' } }, {}],
  ['a shorter array with a dollar', { $a: [1] }, { $pop: { $a: 1 } }, { $a: [] }],
  [
    '$pull by $elemMatch',
    { a: [[1], [2]] },
    { $pull: { a: { $elemMatch: { $gt: 1 } } } },
    { a: [[1]] },
  ],
  ['$pull by an empty document', { a: [1, {}, { b: 1 }] }, { $pull: { a: {} } }, { a: [1] }],
  ['$pull by an array', { a: [1, [1]] }, { $pull: { a: [1] } }, { a: [1] }],
  [
    '$push sorts arrays in fields as arrays, not by their least element',
    { a: [{ x: [0, 9] }, { x: 3 }, { y: 1 }] },
    { $push: { a: { $each: [5], $sort: { x: 1 } } } },
    { a: [{ y: 1 }, 5, { x: 3 }, { x: [0, 9] }] },
  ],
  ['the greatest gap', { a: 1 }, { $set: { 'b.3': 1 } }, { a: 1, b: { 3: 1 } }],
])('accepts %s', (_, before, update, wanted) => {
  expect(outcome(before, update)).toEqual(fields(wanted));
});

it('an insert may have a new field with a dollar', () => {
  expect(outcome({}, { $set: { $a: 1, '$b.c': 1 } }, true)).toEqual(
    fields({ $a: 1, $b: { c: 1 } }),
  );
});

describe('arrays that a client sized', () => {
  const many = Array.from({ length: 130_000 }, (_, i) => i);

  it.each<[string, Fields, Fields, number]>([
    ['$push', { a: [1] }, { $push: { a: { $each: many } } }, 130_001],
    ['$push at the start', { a: [1] }, { $push: { a: { $each: many, $position: 0 } } }, 130_001],
    ['$addToSet', { a: [1] }, { $addToSet: { a: { $each: many } } }, 130_000],
    ['$addToSet onto many', { a: many }, { $addToSet: { a: { $each: many } } }, 130_000],
    ['$pullAll', { a: many }, { $pullAll: { a: many } }, 0],
    ['$pull', { a: many }, { $pull: { a: { $in: many } } }, 0],
    ['$[]', { a: many }, { $inc: { 'a.$[]': 1 } }, 130_000],
  ])('%s', (_, before, update, length) => {
    const working = compileUpdate(toDocument(update))(toDocument(before), {
      now,
      isInsert: false,
      matched: () => undefined,
    });
    expect((working.document.get('a') as unknown[]).length).toBe(length);
  });
});

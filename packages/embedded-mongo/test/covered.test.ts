import { BSON, type Document, MaxKey, MinKey } from 'mongodb';
import { type TestServer, testServer } from './helper.ts';

/** All expectations are the answers of a MongoDB server (9.0 alpha). It answers null where it reads no document. */
let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.stop());

type Indexed = readonly [key: Document, options?: Document];

let collections = 0;
async function collectionOf(indexes: readonly Indexed[], documents: readonly Document[]) {
  const name = `covered${collections++}`;
  const collection = await server.db.createCollection(name);
  for (const [key, options = {}] of indexes) await collection.createIndex(key as never, options);
  await collection.insertMany(structuredClone(documents) as Document[]);
  return collection;
}

const shown = (answer: unknown): string => BSON.EJSON.stringify(answer as Document);

const DOCUMENTS = [
  { _id: 1, a: 1 },
  { _id: 2, a: 1, b: 2 },
  { _id: 3, b: 3 },
  { _id: 4, a: 1, b: null, c: 9 },
  { _id: 5 },
];
const AB: readonly Indexed[] = [[{ a: 1, b: 1 }]];
const NESTED = [
  { _id: 1, n: { a: 1 } },
  { _id: 2, n: { a: 1, b: 2 } },
  { _id: 3, n: { a: 1, c: 5 }, z: 1 },
  { _id: 4, n: 7 },
];
const AB_NESTED: readonly Indexed[] = [[{ 'n.a': 1, z: 1, 'n.b': 1 }]];
const LISTS = [
  { _id: 1, a: 1, l: [1, 2] },
  { _id: 2, a: 1 },
  { _id: 3, a: 1, l: 3 },
];

describe('a find answers null for a field that a document lacks where it reads an index alone', () => {
  const hint = { a: 1, b: 1 };
  test.each<[readonly Indexed[], readonly Document[], Document, Document, Document, string]>([
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 1 }, {}, '[{"b":null},{"b":null},{"b":2}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 5 }, {}, '[{"b":null},{"b":null},{"b":2}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 1 }, { limit: 1, singleBatch: true }, '[{"b":null}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 1 }, { skip: 1, limit: 1 }, '[{"b":null}]'],
    // The fields have the order of the index.
    [AB, DOCUMENTS, { a: 1 }, { b: 1, a: 1, _id: 0 }, { limit: 1 }, '[{"a":1,"b":null}]'],
    [
      [[{ a: 1, b: 1, _id: 1 }]],
      DOCUMENTS,
      { a: 1 },
      { b: 1 },
      { limit: 1 },
      '[{"b":null,"_id":1}]',
    ],
    // A document is read for its _id, for a field that the index lacks, and for all but some fields.
    [AB, DOCUMENTS, { a: 1 }, { b: 1 }, { limit: 1 }, '[{"_id":1}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 1, c: 1 }, {}, '[{},{"b":null,"c":9},{"b":2}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, c: 0 }, {}, '[{"a":1},{"a":1,"b":null},{"a":1,"b":2}]'],
    [AB, DOCUMENTS, { a: 1, c: 9 }, { _id: 0, b: 1 }, {}, '[{"b":null}]'],
    [AB, DOCUMENTS, {}, { _id: 0, b: 1 }, {}, '[{},{"b":2},{"b":3},{"b":null},{}]'],
    [
      AB,
      DOCUMENTS,
      {},
      { _id: 0, a: 1 },
      { hint },
      '[{"a":null},{"a":null},{"a":1},{"a":1},{"a":1}]',
    ],
    [
      AB,
      DOCUMENTS,
      {},
      { _id: 0, a: 1 },
      { sort: { a: -1, b: -1 } },
      '[{"a":1},{"a":1},{"a":1},{"a":null},{"a":null}]',
    ],
    [
      AB,
      DOCUMENTS,
      { a: { $gte: 0 } },
      { _id: 0, b: 1 },
      { sort: { b: -1 } },
      '[{"b":2},{"b":null},{"b":null}]',
    ],
    [
      AB,
      DOCUMENTS,
      { a: 1 },
      { _id: 0, b: 1 },
      { sort: { c: 1, b: -1 } },
      '[{"b":2},{},{"b":null}]',
    ],
    // Computed fields.
    [
      AB,
      DOCUMENTS,
      { a: 1 },
      { _id: 0, x: { $type: '$b' } },
      {},
      '[{"x":"null"},{"x":"null"},{"x":"int"}]',
    ],
    [
      AB,
      DOCUMENTS,
      { a: 1 },
      { _id: 0, b: { $type: '$$ROOT.b' } },
      {},
      '[{"b":"null"},{"b":"null"},{"b":"int"}]',
    ],
    [
      AB,
      DOCUMENTS,
      { a: 1 },
      { _id: 0, x: '$$ROOT.b', y: { $literal: '$c' } },
      { limit: 1 },
      '[{"x":null,"y":"$c"}]',
    ],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, x: '$$ROOT' }, { limit: 1 }, '[{"x":{"_id":1,"a":1}}]'],
    [
      AB,
      DOCUMENTS,
      { a: 1 },
      { _id: 0, x: { y: { $type: '$b' } } },
      { limit: 1 },
      '[{"x":{"y":"missing"}}]',
    ],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, b: 1, x: { $getField: 'b' } }, { limit: 1 }, '[{}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, a: 1, b: { $slice: 1 } }, { limit: 1 }, '[{"a":1}]'],
    [AB, DOCUMENTS, { a: 1 }, { _id: 0, 'b.x': 1 }, {}, '[{},{},{}]'],
    // Paths.
    [
      AB_NESTED,
      NESTED,
      { 'n.a': 1 },
      { _id: 0, 'n.b': 1, z: 1 },
      {},
      '[{"n":{"b":null},"z":null},{"n":{"b":2},"z":null},{"n":{"b":null},"z":1}]',
    ],
    [
      AB_NESTED,
      NESTED,
      { 'n.a': 1 },
      { _id: 0, n: { b: 1, a: 1 } },
      { limit: 1 },
      '[{"n":{"a":1,"b":null}}]',
    ],
    [
      AB_NESTED,
      NESTED,
      {},
      { _id: 0, 'n.b': 1 },
      { hint: AB_NESTED[0]?.[0], limit: 1 },
      '[{"n":{"b":null}}]',
    ],
    [AB_NESTED, NESTED, { 'n.a': 1 }, { _id: 0, n: 1 }, { limit: 1 }, '[{"n":{"a":1}}]'],
    // Arrays: their own field is read, the others need not be.
    [
      [[{ a: 1, l: 1, b: 1 }]],
      LISTS,
      { a: 1 },
      { _id: 0, l: 1 },
      { sort: { _id: 1 } },
      '[{"l":[1,2]},{},{"l":3}]',
    ],
    [
      [[{ a: 1, l: 1, b: 1 }]],
      LISTS,
      { a: 1 },
      { _id: 0, b: 1 },
      {},
      '[{"b":null},{"b":null},{"b":null}]',
    ],
    // Sparse and partial indexes: a condition on a field that the index lacks is read, also where the index implies it.
    [
      [[{ a: 1, b: 1 }, { sparse: true }]],
      DOCUMENTS,
      { a: 1 },
      { _id: 0, b: 1 },
      { limit: 1 },
      '[{"b":null}]',
    ],
    [
      [[{ a: 1, b: 1 }, { partialFilterExpression: { a: 1 } }]],
      DOCUMENTS,
      { a: 1 },
      { _id: 0, b: 1 },
      { limit: 1 },
      '[{"b":null}]',
    ],
    [
      [[{ b: 1 }, { partialFilterExpression: { a: 1 } }]],
      DOCUMENTS,
      { a: 1 },
      { _id: 0, b: 1 },
      { hint: { b: 1 } },
      '[{},{"b":null},{"b":2}]',
    ],
  ])(
    '%j of %j: find %j, %j, %j',
    async (indexes, documents, filter, projection, more, expected) => {
      const { collectionName } = await collectionOf(indexes, documents);
      const find = { find: collectionName, filter, projection, ...more };
      const { cursor } = await server.db.command(find);
      expect(shown(cursor.firstBatch)).toBe(expected);
    },
  );
});

describe('a filter is answered from an index alone', () => {
  const documents = [
    { _id: 1, a: 1 },
    { _id: 2, a: 1, b: 2 },
    { _id: 3, a: 1, b: null },
    { _id: 4, a: 1, b: 'x' },
  ];
  const isCovered = async (indexed: readonly Document[], condition: Document): Promise<boolean> => {
    const collection = await collectionOf([[{ a: 1, b: 1, l: 1, c: 1 }]], indexed);
    const found = await collection
      .find({ a: 1, ...condition }, { projection: { _id: 0, c: 1 } })
      .toArray();
    expect(found).not.toEqual([]);
    return found.every(({ c }) => c === null);
  };

  test.each<Document>([
    { b: 2 },
    { b: { $in: [2, /x/] } },
    { b: /x/ },
    { b: { $regex: 'X', $options: 'i' } },
    { b: { $gt: 1, $lt: 5 } },
    { b: { $gte: new MinKey() } },
    { b: { $lt: new MaxKey() } },
    { b: { $ne: null } },
    { b: { $ne: 5 } },
    { b: { $nin: [null, 5] } },
    { b: { $not: { $gt: 5 } } },
    { b: { $not: { $gte: null } } },
    { b: { $not: { $all: [5] } } },
    { b: { $type: 'int' } },
    { b: { $mod: [2, 0] } },
    { b: { $all: [2] } },
    { $and: [{ $and: [{ b: { $ne: 5 } }] }] },
    { $or: [{ b: 2 }, { b: { $in: [7] } }] },
    { $or: [{ b: { $gt: 1 } }, { b: { $lt: 0 } }] },
    { $or: [{ b: { $ne: 5 } }] },
    { $or: [{ b: { $type: 'int' } }, { b: 7 }] },
    { $or: [{ b: { $mod: [2, 0] } }, { b: { $gt: 7 } }] },
    { $or: [{ b: /x/ }, { b: { $lt: 0 } }] },
    { b: { $type: ['int', 'string'] } },
    { $nor: [{ b: 5 }, { b: { $gt: 6 } }] },
    { $nor: [{ $or: [{ b: 5 }, { b: 6 }] }] },
    { $expr: { $eq: ['$b', 2] } },
    { $comment: 'why' },
  ])('%j', async (condition) => {
    expect(await isCovered(documents, condition)).toBe(true);
  });

  test.each<Document>([
    { b: null },
    { b: { $in: [null, 2] } },
    { b: { $lte: null } },
    { b: { $exists: true } },
    { b: { $exists: false } },
    { b: { $type: 'null' } },
    { b: { $ne: [1] } },
    { b: { $nin: [[1]] } },
    { b: { $nin: [/y/] } },
    { b: { $not: /y/ } },
    { b: { $not: { $mod: [2, 1] } } },
    { b: { $not: { $type: 'date' } } },
    { b: { $not: { $not: { $gt: 1 } } } },
    { b: { $not: { $gt: 5, $lt: 9 } } },
    { b: { $not: { $size: 1 } } },
    { b: { $not: { $elemMatch: { $gt: 1 } } } },
    { b: { $bitsAllSet: 2 } },
    { b: { $all: [null] } },
    { $or: [{ b: null }, { b: 2 }] },
    { $or: [{ b: { $ne: 5 } }, { b: 2 }] },
    { $nor: [{ b: { $exists: true } }] },
    { $nor: [{ b: { $type: 'date' } }] },
    { $expr: { $gt: ['$b', 1] } },
    { $expr: { $ne: [{ $ifNull: ['$b', 0] }, 7] } },
  ])('but not %j', async (condition) => {
    expect(await isCovered(documents, condition)).toBe(false);
  });

  const lists = [
    { _id: 1, a: 1, b: 4, l: [1, 2] },
    { _id: 2, a: 1, b: 4, l: 3 },
  ];
  test.each<[Document, boolean]>([
    [{ l: 3 }, true],
    [{ l: { $gt: 1 } }, true],
    [{ l: { $in: [1, 3] } }, true],
    [{ l: { $all: [1] } }, true],
    [{ $or: [{ l: 1 }, { l: 3 }] }, true],
    [{ b: { $ne: 7 } }, true],
    [{ b: { $type: 'number' } }, true],
    [{ b: { $type: 'int' } }, false],
    [{ b: { $type: 16 } }, false],
    [{ b: { $type: ['date', 'number'] } }, true],
    [{ l: { $gt: 1, $lt: 5 } }, false],
    [{ l: { $ne: 7 } }, false],
    [{ l: { $type: 'int' } }, false],
    [{ l: { $all: [1, 2] } }, false],
    [{ b: { $mod: [2, 0] } }, false],
    [{ b: { $in: [4, /x/] } }, false],
  ])('of arrays: %j %j', async (condition, expected) => {
    expect(await isCovered(lists, condition)).toBe(expected);
  });
});

describe('a pipeline answers null in the same way', () => {
  test.each<[Document[], string]>([
    [[{ $project: { _id: 0, b: 1 } }], '[{"b":null},{"b":null},{"b":2}]'],
    [[{ $project: { b: 1 } }], '[{"_id":1},{"_id":4,"b":null},{"_id":2,"b":2}]'],
    [[{ $sort: { b: -1 } }, { $limit: 2 }, { $project: { _id: 0, b: 1 } }], '[{"b":2},{"b":null}]'],
    [[{ $group: { _id: null, all: { $push: '$b' } } }], '[{"_id":null,"all":[null,null,2]}]'],
    [
      [{ $group: { _id: { b: '$b' } } }, { $sort: { _id: 1 } }],
      '[{"_id":{"b":null}},{"_id":{"b":2}}]',
    ],
    [[{ $group: { _id: '$a', all: { $push: '$$ROOT.c' } } }], '[{"_id":1,"all":[9]}]'],
    [
      [{ $set: { x: { $type: '$b' } } }],
      '[{"_id":1,"a":1,"x":"missing"},{"_id":4,"a":1,"b":null,"c":9,"x":"null"},{"_id":2,"a":1,"b":2,"x":"int"}]',
    ],
    [
      [{ $set: { x: { $type: '$b' } } }, { $project: { _id: 0, x: 1 } }],
      '[{"x":"null"},{"x":"null"},{"x":"int"}]',
    ],
    [[{ $unset: 'c' }, { $project: { _id: 0, b: 1 } }], '[{"b":null},{"b":null},{"b":2}]'],
    [[{ $replaceWith: { b: '$b' } }], '[{"b":null},{"b":null},{"b":2}]'],
    [
      [
        { $unwind: { path: '$b', preserveNullAndEmptyArrays: true } },
        { $project: { _id: 0, b: 1 } },
      ],
      '[{"b":null},{"b":null},{"b":2}]',
    ],
    [
      [{ $facet: { x: [{ $project: { _id: 0, b: 1 } }] } }],
      '[{"x":[{"b":null},{"b":null},{"b":2}]}]',
    ],
    // A $match goes before a $project, unless it is on a computed field.
    [[{ $project: { _id: 0, b: 1 } }, { $match: { b: { $exists: false } } }], '[{}]'],
    [[{ $project: { _id: 0, b: 1 } }, { $match: { b: { $ne: 2 } } }], '[{"b":null},{"b":null}]'],
    [[{ $project: { _id: 0, x: '$b' } }, { $match: { x: { $exists: false } } }], '[{}]'],
    [
      [{ $project: { _id: 0, x: { $type: '$b' } } }, { $match: { x: 'null' } }],
      '[{"x":"null"},{"x":"null"}]',
    ],
    // The pipelines within stages.
    [
      [
        { $limit: 1 },
        {
          $lookup: {
            from: 'SELF',
            pipeline: [{ $match: { a: 1 } }, { $project: { _id: 0, b: 1 } }],
            as: 'x',
          },
        },
        { $project: { _id: 0, x: 1 } },
      ],
      '[{"x":[{"b":null},{"b":null},{"b":2}]}]',
    ],
    [
      [
        { $limit: 1 },
        { $project: { _id: 0, b: 1 } },
        {
          $unionWith: {
            coll: 'SELF',
            pipeline: [{ $match: { a: 1 } }, { $project: { _id: 0, b: 1 } }],
          },
        },
      ],
      '[{"b":null},{"b":null},{"b":null},{"b":2}]',
    ],
  ])('%j', async (stages, expected) => {
    const collection = await collectionOf(AB, DOCUMENTS);
    const own = JSON.parse(JSON.stringify(stages).replaceAll('SELF', collection.collectionName));
    const answer = await collection.aggregate([{ $match: { a: 1 } }, ...own]).toArray();
    expect(shown(answer)).toBe(expected);
  });
});

test('a $set of a document keeps the other fields of the object', async () => {
  const collection = await collectionOf([[{ x: 1 }]], [{ x: 1, a: { b: 5 } }]);
  const stages = [
    { $match: { x: 1 } },
    { $set: { a: { c: 1 } } },
    { $project: { _id: 0, x: 1, 'a.b': 1, 'a.c': 1 } },
  ];
  expect(shown(await collection.aggregate(stages).toArray())).toBe('[{"x":1,"a":{"b":5,"c":1}}]');
});

test.each<[Document[], Document, number]>([
  [[{ $limit: 10 }], { a: 2 }, 2],
  [[{ $limit: 10 }], { a: { $ne: 2 } }, 0],
  [[{ $sort: { d: 1 } }], { a: { $nin: [2] } }, 0],
  [[{ $skip: 1 }], { a: { $gt: 0 } }, 1],
  [[{ $unset: 'z' }], { $or: [{ a: 2 }, { a: 3 }] }, 2],
  [[{ $set: { z: 1 } }], { a: { $gt: 0 }, z: 1 }, 2],
])(
  'a $match behind %j filters by fields that nothing else reads: %j',
  async (before, filter, n) => {
    const documents = [
      { w: 1, a: 2, d: 3 },
      { w: 5, a: 2, d: 4 },
    ];
    const collection = await collectionOf([[{ w: 1, a: 1, d: 1 }]], documents);
    const query = [{ $match: { w: { $gte: 0 } } }, ...before, { $match: filter }];
    const found = await collection.aggregate([...query, { $project: { _id: 0, d: 1 } }]).toArray();
    expect(found).toHaveLength(n);
  },
);

describe('a distinct has null for documents without the field', () => {
  test.each<[readonly Indexed[], readonly Document[], string, Document, unknown[]]>([
    [[[{ a: 1 }]], DOCUMENTS, 'a', {}, [null, 1]],
    [AB, DOCUMENTS, 'a', {}, [null, 1]],
    [AB, DOCUMENTS.slice(0, 2), 'b', { a: 1 }, [null, 2]],
    [AB_NESTED, NESTED, 'n.a', {}, [null, 1]],
    [[[{ l: 1 }]], LISTS, 'l', {}, [null, 1, 2, 3]],
    [[[{ a: 1, l: 1, b: 1 }]], LISTS, 'b', { a: 1 }, [null]],
    // Where the documents are read.
    [[], DOCUMENTS, 'a', {}, [1]],
    [[[{ a: 1 }, { sparse: true }]], DOCUMENTS, 'a', {}, [1]],
    [[[{ a: 1 }]], DOCUMENTS, 'a', { a: { $exists: true } }, [1]],
    [AB, DOCUMENTS.slice(0, 2), 'b', {}, [2]],
    [AB, DOCUMENTS.slice(0, 2), 'b', { a: 1, b: { $not: { $mod: [5, 1] } } }, [2]],
    [[[{ a: 1, l: 1, b: 1 }]], LISTS, 'l', { a: 1 }, [1, 2, 3]],
  ])('%j of %j: %j of %j is %j', async (indexes, documents, key, query, expected) => {
    const collection = await collectionOf(indexes, documents);
    expect(await collection.distinct(key, query)).toEqual(expected);
  });
});

test('a command that writes reads the document', async () => {
  const collection = await collectionOf(AB, DOCUMENTS);
  const projection = { _id: 0, b: 1 };
  const changed = await collection.findOneAndUpdate({ a: 1 }, { $set: { z: 1 } }, { projection });
  expect(changed).toEqual({});
});

test('explain tells that no document is read', async () => {
  const collection = await collectionOf(AB, DOCUMENTS);
  const explain = async (projection: Document) => {
    const find = collection.find({ a: 1 }, { projection });
    const { queryPlanner, executionStats } = await find.explain('executionStats');
    const { stage, inputStage } = queryPlanner.winningPlan;
    return [stage, inputStage.stage, executionStats.totalDocsExamined];
  };
  expect(await explain({ _id: 0, b: 1 })).toEqual(['PROJECTION_COVERED', 'IXSCAN', 0]);
  expect(await explain({ b: 1 })).toEqual(['PROJECTION_SIMPLE', 'FETCH', 3]);
});

import { type Document, type Literal, toDocument } from '../bson/values.ts';
import { type TestEngine, testEngine } from './engine.ts';

type Fields = { [name: string]: Literal };

let test: TestEngine;
beforeAll(async () => {
  test = testEngine();
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, n: _id % 4 }));
  await test.send({ insert: 'c', documents });
  await test.send({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] });
});
afterAll(() => test.close());

const explain = (command: Fields, verbosity?: string) =>
  test.send({ explain: command, ...(verbosity ? { verbosity } : {}) });

function stages(reply: Document): Literal[] {
  const names: Literal[] = [];
  let stage = (reply.get('queryPlanner') as Document | undefined)?.get('winningPlan');
  for (; stage instanceof Map; stage = stage.get('inputStage')) names.push(stage.get('stage'));
  return names;
}

it.each<[Fields, string[], number, number]>([
  [{ find: 'c', limit: 3 }, ['LIMIT', 'COLLSCAN'], 3, 3],
  [{ find: 'c', skip: 2, limit: 3 }, ['LIMIT', 'SKIP', 'COLLSCAN'], 3, 5],
  [{ find: 'c', filter: { n: 1 }, limit: 2 }, ['LIMIT', 'FETCH', 'IXSCAN'], 2, 2],
  [{ find: 'c', sort: { x: 1 }, skip: 1, limit: 2 }, ['SKIP', 'SORT', 'COLLSCAN'], 2, 20],
  [{ find: 'c', projection: { n: 1 } }, ['PROJECTION_SIMPLE', 'COLLSCAN'], 20, 20],
  [{ find: 'c', projection: { 'n.a': 1 } }, ['PROJECTION_DEFAULT', 'COLLSCAN'], 20, 20],
  [{ find: 'none' }, ['EOF'], 0, 0],
  [
    { aggregate: 'c', pipeline: [{ $match: { n: 1 } }, { $limit: 1 }], cursor: {} },
    ['LIMIT', 'FETCH', 'IXSCAN'],
    1,
    1,
  ],
])('%j: %j', async (command, wanted, nReturned, totalDocsExamined) => {
  const reply = await explain(command, 'executionStats');
  expect(stages(reply)).toEqual(wanted);
  const statistics = reply.get('executionStats') as Document;
  expect([statistics.get('nReturned'), statistics.get('totalDocsExamined')]).toEqual([
    nReturned,
    totalDocsExamined,
  ]);
});

it.each<[Fields, number, number]>([
  [{ count: 'c', query: { n: 1 } }, 5, 0],
  [{ count: 'c', query: { n: 1 }, skip: 1, limit: 2 }, 3, 0],
  [{ count: 'c', query: { n: 1, x: null } }, 5, 5],
  [{ distinct: 'c', key: 'n', query: { n: 1 } }, 5, 5],
  [{ update: 'c', updates: [{ q: { n: 1 }, u: { $set: { a: 1 } } }] }, 1, 1],
  [{ update: 'c', updates: [{ q: { n: 1 }, u: { $set: { a: 1 } }, multi: true }] }, 5, 5],
  [{ delete: 'c', deletes: [{ q: { n: 1 }, limit: 1 }] }, 1, 1],
  [{ delete: 'c', deletes: [{ q: { n: 1 }, limit: 0 }] }, 5, 5],
  [{ findAndModify: 'c', query: { n: 1 }, remove: true }, 1, 1],
  [{ findAndModify: 'c', query: { n: 1 }, sort: { _id: -1 }, remove: true }, 5, 5],
])('%j examines %i keys and %i documents, and changes none', async (command, keys, documents) => {
  const statistics = (await explain(command, 'executionStats')).get('executionStats') as Document;
  expect(statistics.get('totalKeysExamined')).toBe(keys);
  expect(statistics.get('totalDocsExamined')).toBe(documents);
  expect(await test.find('c', {})).toHaveLength(20);
});

it.each<[Fields, string[]]>([
  [{ count: 'c', query: { n: 1 } }, ['COUNT', 'FETCH', 'IXSCAN']],
  [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] }, ['UPDATE', 'IDHACK']],
  [{ delete: 'c', deletes: [{ q: {}, limit: 1 }] }, ['DELETE', 'COLLSCAN']],
  [{ findAndModify: 'c', query: {}, remove: true }, ['DELETE', 'COLLSCAN']],
])('%j: %j, and changes nothing', async (command, wanted) => {
  expect(stages(await explain(command, 'queryPlanner'))).toEqual(wanted);
  expect(await test.find('c', {})).toHaveLength(20);
});

it.each<[number, Fields, string]>([
  [2, { find: 'c' }, 'bogus'],
  [40415, { find: 'c', bogus: 1 }, 'queryPlanner'],
  [40415, { update: 'c', updates: [{ q: {}, u: {}, sort: {} }] }, 'queryPlanner'],
  [59, { ping: 1 }, 'queryPlanner'],
  [238, { aggregate: 'c', pipeline: [{ $group: { _id: '$n' } }], cursor: {} }, 'queryPlanner'],
])('%i is answered to explaining %j', async (code, command, verbosity) => {
  expect((await explain(command, verbosity)).get('code')).toBe(code);
});

it('gives others their turn while it counts', async () => {
  const pad = 'x'.repeat(1000);
  const documents = Array.from({ length: 6000 }, (_, _id) => ({ _id, pad }));
  await test.send({ insert: 'many', documents });
  const order: string[] = [];
  const explained = explain({ find: 'many', filter: { none: 1 } }).then(() =>
    order.push('explain'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await test.send(Object.fromEntries(toDocument({ ping: 1 }))).then(() => order.push('ping'));
  await explained;
  expect(order).toEqual(['ping', 'explain']);
});

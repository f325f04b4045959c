import type { Document, Literal } from '../bson/values.ts';
import { checkStore } from '../storage/check.ts';
import {
  insertMany,
  lsidOf,
  MANY,
  slowClock,
  type TestEngine,
  testEngine,
  turns,
} from './engine.ts';

let test: TestEngine;
beforeEach(() => {
  test = testEngine();
});
afterEach(() => {
  expect(checkStore(test.engine.store)).toEqual([]);
  test.close();
});

const inTransaction = (
  n: number,
  command: { [field: string]: Literal },
  starting = false,
  txnNumber = 1n,
) =>
  test.send({
    ...command,
    lsid: lsidOf(n),
    txnNumber,
    autocommit: false,
    ...(starting ? { startTransaction: true } : {}),
  });

describe('a transaction that ends while a statement of it runs', () => {
  const all = { update: 't', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] };
  beforeEach(() => insertMany(test, 't'));

  it.each([
    ['abortTransaction', () => inTransaction(1, { abortTransaction: 1 })],
    ['endSessions', () => test.send({ endSessions: [lsidOf(1)] })],
  ])('writes nothing more after %s', async (_, end) => {
    const running = inTransaction(1, all, true);
    await turns(3);
    expect((await end()).get('code')).toBeUndefined();
    const other = inTransaction(2, { find: 't', filter: { _id: 1 } }, true);
    const reply = await running;
    expect([reply.get('code'), reply.get('errorLabels')]).toEqual([
      251,
      ['TransientTransactionError'],
    ]);
    await other;
    await turns(20);
    await inTransaction(2, { commitTransaction: 1 });
    expect(await test.find('t', { n: 1 })).toHaveLength(0);
    expect((await test.send({ insert: 't', documents: [{ _id: -1 }] })).get('n')).toBe(1);
  });

  it('is committed after the statement, not in the midst of it', async () => {
    const running = inTransaction(1, all, true);
    await turns(3);
    expect((await inTransaction(1, { commitTransaction: 1 })).get('code')).toBeUndefined();
    expect((await running).get('n')).toBe(MANY);
    expect(await test.find('t', { n: 1 })).toHaveLength(MANY);
  });
});

it('a transaction that ended while it waited for its turn to write does not keep others from it', async () => {
  const insert = (_id: number): { [field: string]: Literal } => ({
    insert: 'w',
    documents: [{ _id }],
  });
  await test.send({ create: 'w' });
  await inTransaction(1, insert(1), true);
  expect((await inTransaction(2, insert(2), true)).get('code')).toBe(112);
  const waiting = inTransaction(2, insert(2), true, 2n); // an attempt after a conflict waits for a moment
  await turns(2);
  await test.send({ endSessions: [lsidOf(2)] });
  await inTransaction(1, { commitTransaction: 1 });
  expect([251, 112]).toContain((await waiting).get('code')); // the moment may be over
  expect((await test.send(insert(3))).get('n')).toBe(1);
  expect(await test.find('w', {})).toHaveLength(2);
});

it('a retryable write that is sent several times while another runs is carried out once', async () => {
  await insertMany(test, 't');
  const write = (txnNumber: bigint, q: Literal) =>
    test.send({ update: 't', updates: [{ q, u: { $inc: { n: 1 } } }], lsid: lsidOf(1), txnNumber });
  const slow = write(1n, { nothing: 1 });
  const replies = await Promise.all([1, 2, 3].map(() => write(2n, { _id: 1 })));
  await slow;
  expect(replies.map((reply) => reply.get('nModified'))).toEqual([1, 1, 1]);
  expect((await test.find('t', { _id: 1 }))[0]?.get('n')).toBe(1);
});

describe('many that sort without an index', () => {
  beforeEach(() => insertMany(test, 't'));
  const claim = { query: { n: 0 }, sort: { p: 1 }, new: true } as const;
  const each = (n: number, command: { [field: string]: Literal }) =>
    Promise.all(Array.from({ length: n }, () => test.send(command)));

  it('change a document each', async () => {
    const replies = await each(12, { findAndModify: 't', ...claim, update: { $inc: { n: 1 } } });
    const ids = replies.map((reply) => (reply.get('value') as Document).get('_id'));
    expect(new Set(ids).size).toBe(12);
    expect(await test.find('t', { n: 1 })).toHaveLength(12);
  });

  it('remove a document each, and leave no keys of it in an index', async () => {
    await test.send({ createIndexes: 't', indexes: [{ key: { n: 1 }, name: 'n' }] });
    const query = { pad: { $exists: true } };
    await Promise.all([
      each(6, { findAndModify: 't', query, sort: { p: 1 }, remove: true }),
      each(6, { findAndModify: 't', query, sort: { p: 1 }, update: { $inc: { n: 1 } } }),
      test.send({ delete: 't', deletes: [{ q: { _id: 0 }, limit: 1 }] }),
    ]);
    expect((await test.find('t', {})).length).toBe(MANY - 7);
  });
});

it('statements of a retryable write that were committed before a crash are not done again', async () => {
  await insertMany(test, 't');
  const updates = [
    { q: { _id: 1 }, u: { $inc: { n: 1 } } },
    { q: { nothing: 1 }, u: { $inc: { n: 1 } } },
  ];
  const command = { update: 't', updates, lsid: lsidOf(1), txnNumber: 1n };
  const running = test.send(command);
  await turns(2);
  const restarted = testEngine(test);
  const [kind] = restarted.engine.store.main.get('SELECT kind FROM retries') ?? [];
  expect(kind).toBe('unfinished');
  expect((await restarted.find('t', { _id: 1 }))[0]?.get('n')).toBe(1);
  const again = await restarted.send(command);
  expect((await restarted.find('t', { _id: 1 }))[0]?.get('n')).toBe(1);
  expect(again).toEqual(await running);
  restarted.close();
});

it('an internal error of one command takes no other with it', async () => {
  await test.send({ insert: 'a', documents: [{ _id: 1 }] });
  const [bad, good] = await Promise.all([
    test.send({
      update: 'a',
      updates: [{ q: { _id: 1 }, u: [{ $set: { d: { $add: [new Date(8.64e15), 1] } } }] }],
    }),
    test.send({ insert: 'a', documents: [{ _id: 2 }] }),
  ]);
  expect((bad.get('writeErrors') as Document[])[0]?.get('code')).toBe(15);
  expect(good.get('n')).toBe(1);
  expect(await test.find('a', {})).toHaveLength(2);
});

describe('what is dropped while it is read', () => {
  const open = async (collection: string, more: { [field: string]: Literal }) => {
    const documents = Array.from({ length: 10 }, (_, _id) => ({ _id, a: _id, b: -_id }));
    await test.send({ insert: collection, documents });
    await test.send({ createIndexes: collection, indexes: [{ key: { a: 1 }, name: 'a' }] });
    const reply = await test.send({ find: collection, batchSize: 2, ...more });
    return (reply.get('cursor') as Document).get('id') as bigint;
  };

  it('is not mistaken for what is made afterwards', async () => {
    const getMore = await open('A', {});
    await test.send({ drop: 'A' });
    await test.send({ insert: 'B', documents: Array.from({ length: 9 }, (_, _id) => ({ _id })) });
    expect((await test.send({ getMore, collection: 'A' })).get('code')).toBe(175);
    const other = await open('C', { sort: { a: 1 } });
    await test.send({ dropIndexes: 'C', index: 'a' });
    await test.send({ createIndexes: 'C', indexes: [{ key: { b: 1 }, name: 'b' }] });
    expect((await test.send({ getMore: other, collection: 'C' })).get('code')).toBe(175);
  });

  it('is said not to be there by a transaction that began before', async () => {
    await open('A', {});
    await inTransaction(1, { find: 'nothing' }, true);
    await inTransaction(2, { find: 'nothing' }, true);
    await test.send({ drop: 'A' });
    await test.send({ insert: 'B', documents: [{ _id: 1 }] });
    expect((await inTransaction(1, { find: 'B' })).get('code')).toBe(246);
    expect((await inTransaction(2, { find: 'A' })).get('code')).toBe(246);
  });
});

it('a document of many keys is found once, though the index has met no array before', async () => {
  const documents = Array.from({ length: 6 }, (_, _id) => ({ _id, a: _id }));
  await test.send({ insert: 'm', documents });
  await test.send({ createIndexes: 'm', indexes: [{ key: { a: 1 }, name: 'a' }] });
  const first = await test.send({ find: 'm', filter: {}, hint: 'a', batchSize: 2 });
  const getMore = (first.get('cursor') as Document).get('id') as bigint;
  await test.send({ insert: 'm', documents: [{ _id: 9, a: [100, 200, 300] }] });
  const next = (await test.send({ getMore, collection: 'm' })).get('cursor') as Document;
  const ids = (next.get('nextBatch') as Document[]).map((document) => document.get('_id'));
  expect(ids).toEqual([2, 3, 4, 5, 9]);
});

it('killCursors ends a getMore that reads the cursor', async () => {
  await insertMany(test, 'many');
  const first = await test.send({ find: 'many', batchSize: 1 });
  const getMore = (first.get('cursor') as Document).get('id') as bigint;
  const next = () => test.send({ getMore, collection: 'many', batchSize: MANY });
  const clock = slowClock();
  const reading = next();
  await turns(1);
  expect((await next()).get('codeName')).toBe('CursorInUse');
  const killed = await test.send({ killCursors: 'many', cursors: [getMore] });
  expect(killed.get('cursorsKilled')).toEqual([getMore]);
  expect((await reading).get('codeName')).toBe('CursorKilled');
  clock.mockRestore();
  expect((await next()).get('codeName')).toBe('CursorNotFound');
});

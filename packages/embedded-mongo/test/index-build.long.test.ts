import fc from 'fast-check';
import type { Document, Literal } from '../bson/values.ts';
import { expireDocuments } from '../commands/expiry.ts';
import type { Index } from '../storage/catalog.ts';
import { checkStore } from '../storage/check.ts';
import { leftoverTables } from '../storage/leftovers.ts';
import { insertMany, lsidOf, MANY, type TestEngine, testEngine, turns } from './engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = testEngine();
  await insertMany(test, 't');
});
afterEach(async () => {
  expect(checkStore(test.engine.store)).toEqual([]);
  await withoutLeftovers(test);
  test.close();
});

const collectionOf = ({ engine: { store } }: TestEngine, name = 't') =>
  store.collection(store.context(), `test.${name}`);

const indexNames = (of: TestEngine): string[] =>
  collectionOf(of)?.indexes.map(({ name }: Index) => name) ?? [];

/** Waits until the tables are removed that were put aside. */
async function withoutLeftovers({ engine: { store } }: TestEngine): Promise<void> {
  while (store.leftovers.length > 0) await turns(1);
  expect(leftoverTables(store.main)).toEqual([]);
}

/** Begins to build an index and returns while the build runs. */
async function beginBuild(
  key: { [field: string]: Literal },
  options: { [option: string]: Literal } = {},
): Promise<{ done: Promise<Document> }> {
  const index = { key, name: Object.keys(key).join('_'), ...options };
  const done = test.send({ createIndexes: 't', indexes: [index] });
  while (!collectionOf(test)?.build) await turns(1);
  return { done };
}

const inTransaction = (n: number, command: { [field: string]: Literal }, starting = false) =>
  test.send({
    ...command,
    lsid: lsidOf(n),
    txnNumber: 1n,
    autocommit: false,
    ...(starting ? { startTransaction: true } : {}),
  });

const insert = (...documents: Literal[]) => test.send({ insert: 't', documents });
const update = (q: Literal, u: Literal) =>
  test.send({ update: 't', updates: [{ q, u, multi: true }] });
const remove = (q: Literal) => test.send({ delete: 't', deletes: [{ q, limit: 0 }] });

const stageOf = async (filter: Literal): Promise<string> => {
  const reply = await test.send({ explain: { find: 't', filter }, verbosity: 'queryPlanner' });
  return JSON.stringify(reply.get('queryPlanner'), (_, value) =>
    value instanceof Map
      ? Object.fromEntries(value)
      : typeof value === 'bigint'
        ? `${value}`
        : value,
  );
};

describe('writes while an index is built', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 9 }),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    fc.constant(null),
  );
  const id = fc.integer({ min: 0, max: MANY + 20 });
  const write = fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), id, value }),
    fc.record({ kind: fc.constant('update' as const), id, value }),
    fc.record({ kind: fc.constant('many' as const), id, value }),
    fc.record({ kind: fc.constant('unset' as const), id, value }),
    fc.record({ kind: fc.constant('remove' as const), id, value }),
    fc.record({ kind: fc.constant('aborted' as const), id, value }),
    fc.record({ kind: fc.constant('committed' as const), id, value }),
  );
  type Write = { kind: string; id: number; value: Literal };
  let number = 0;
  const run = async ({ kind, id: _id, value: a }: Write): Promise<void> => {
    const set = { q: { _id }, u: { $set: { a } } };
    if (kind === 'insert') await insert({ _id: _id + MANY, a });
    if (kind === 'update') await test.send({ update: 't', updates: [set] });
    if (kind === 'many') await update({ _id: { $gte: _id, $lt: _id + 100 } }, { $set: { a } });
    if (kind === 'unset')
      await test.send({ update: 't', updates: [{ q: { _id }, u: { $unset: { a: 1 } } }] });
    if (kind === 'remove') await remove({ _id: { $in: [_id, MANY - 1] } });
    if (kind !== 'aborted' && kind !== 'committed') return;
    number++;
    await inTransaction(number, { update: 't', updates: [set] }, true);
    await inTransaction(number, { insert: 't', documents: [{ _id: 50_000 + number, a }] });
    await inTransaction(number, { delete: 't', deletes: [{ q: { _id: _id + 1 }, limit: 1 }] });
    await inTransaction(number, {
      [kind === 'aborted' ? 'abortTransaction' : 'commitTransaction']: 1,
    });
  };

  it.each([
    ['plain', {}],
    ['sparse', { sparse: true }],
    ['partial', { partialFilterExpression: { a: { $gt: 3 } } }],
  ])('are in a %s index', async (name, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
        const key = { a: 1, p: -1 };
        const { done } = await beginBuild(key, { ...options, name });
        for (const one of writes) await run(one);
        expect((await done).get('ok')).toBeTruthy();
        expect(indexNames(test)).toEqual(['_id_', name]);
        expect(checkStore(test.engine.store)).toEqual([]);
        await test.send({ dropIndexes: 't', index: name });
      }),
      { numRuns: 6 },
    );
  });

  it('may be many at once, whose group is rolled back', async () => {
    const { done } = await beginBuild({ pad: 1, p: 1 });
    const { store, group } = test.engine;
    // Portions end by the clock: while it stands still, each write is one portion.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const failed = Promise.all([
      update({ _id: { $lt: 20 } }, { $set: { p: 100 } }),
      remove({ _id: { $gte: 20, $lt: 30 } }),
      insert({ _id: -1, p: 100 }),
    ]);
    const written = (): boolean => store.main.get('SELECT count(*) FROM d1')?.[0] === MANY - 10 + 1;
    // The group is committed in the next turn of the event loop: all this happens before.
    for (let n = 0; n < 1000 && !written(); n++) await Promise.resolve();
    clock.mockRestore();
    expect(written()).toBe(true);
    group.fail(new Error('the disk'));
    expect((await failed).map((reply) => reply.get('errmsg'))).toEqual(Array(3).fill('the disk'));
    expect((await done).get('numIndexesAfter')).toBe(2);
    expect(checkStore(store)).toEqual([]);
    expect(await test.find('t', { p: 100 })).toEqual([]);
  });

  it('may be those of a transaction that lasts longer than a write waits', async () => {
    const { done } = await beginBuild({ p: 1 });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const set = { q: { _id: 3 }, u: { $set: { p: 100 } } };
      const first = await inTransaction(1, { update: 't', updates: [set] }, true);
      expect(first.get('n')).toBe(1);
      for (let s = 0; s < 30; s++) {
        jest.advanceTimersByTime(1000);
        await turns(1);
      }
    } finally {
      jest.useRealTimers();
    }
    await inTransaction(1, { commitTransaction: 1 });
    expect((await done).get('numIndexesAfter')).toBe(2);
    expect(await test.find('t', { p: 100 })).toHaveLength(1);
  });

  it('are in the index when they never stop', async () => {
    let isDone = false;
    const { done } = await beginBuild({ p: 1, n: 1 });
    const building = done.finally(() => {
      isDone = true;
    });
    for (let n = 0; !isDone; n++) await insert({ _id: -n - 1, p: n });
    expect((await building).get('numIndexesAfter')).toBe(2);
  });
});

describe('an index that is built', () => {
  it('is used and listed when it is ready, and not before', async () => {
    const { done } = await beginBuild({ n: 1 });
    expect(await stageOf({ n: 5 })).toContain('COLLSCAN');
    expect(indexNames(test)).toEqual(['_id_']);
    await done;
    expect(await stageOf({ n: 5 })).toContain('IXSCAN');
  });

  it('is not used by a transaction that began before it was ready', async () => {
    const { done } = await beginBuild({ p: 1 });
    await inTransaction(1, { find: 't', filter: { _id: 1 } }, true);
    await done;
    const reply = await inTransaction(1, { find: 't', filter: { p: 3 } });
    expect(reply.get('code')).toBe(246);
  });

  it('is built with others of the same command, or none of them is', async () => {
    const create = (key: { [field: string]: Literal }) =>
      test.send({
        createIndexes: 't',
        indexes: [
          { key: { p: 1 }, name: 'p' },
          { key, name: 'n', unique: true },
        ],
      });
    expect((await create({ n: 1 })).get('code')).toBe(11000);
    expect(indexNames(test)).toEqual(['_id_']);
    expect((await create({ _id: 1, n: 1 })).get('numIndexesAfter')).toBe(3);
  });

  it('is waited for by a second command for it, and by one for another', async () => {
    const { done } = await beginBuild({ p: 1 });
    const index = { key: { p: 1 }, name: 'p' };
    const brief = { createIndexes: 't', indexes: [{ key: { a: 1 }, name: 'a' }], maxTimeMS: 1 };
    expect((await test.send(brief)).get('code')).toBe(50);
    const [again, other] = await Promise.all([
      test.send({ createIndexes: 't', indexes: [index] }),
      test.send({ createIndexes: 't', indexes: [{ key: { n: 1 }, name: 'n' }] }),
    ]);
    expect((await done).get('numIndexesAfter')).toBe(2);
    expect(again.get('note')).toBe('all indexes already exist');
    expect(other.get('numIndexesAfter')).toBe(3);
  });

  it.each([
    ['drop', { drop: 't' }, 276],
    ['dropDatabase', { dropDatabase: 1 }, 276],
    ['dropIndexes of all', { dropIndexes: 't', index: '*' }, 276],
    ['dropIndexes by name', { dropIndexes: 't', index: 'p' }, 276],
    ['dropIndexes by key', { dropIndexes: 't', index: { p: 1 } }, 276],
  ])('is not made after %s', async (_, command, code) => {
    const { done } = await beginBuild({ p: 1 });
    expect((await test.send(command)).get('code')).toBeUndefined();
    expect((await done).get('code')).toBe(code);
    await withoutLeftovers(test);
    await insert({ _id: -1, p: 3 });
    expect(indexNames(test)).toEqual(['_id_']);
  });

  it('keeps its collection from being renamed or replaced', async () => {
    await test.send({ insert: 'other', documents: [{ _id: 1 }] });
    const { done } = await beginBuild({ p: 1 });
    const rename = (from: string, to: string) =>
      test.send({ renameCollection: `test.${from}`, to: `test.${to}`, dropTarget: true });
    expect((await rename('t', 'elsewhere')).get('code')).toBe(12587);
    expect((await rename('other', 't')).get('code')).toBe(12587);
    await done;
    expect((await rename('t', 'elsewhere')).get('code')).toBeUndefined();
  });

  it('ends with maxTimeMS', async () => {
    const command = { createIndexes: 't', indexes: [{ key: { p: 1 }, name: 'p' }], maxTimeMS: 1 };
    expect((await test.send(command)).get('code')).toBe(50);
    expect(indexNames(test)).toEqual(['_id_']);
  });

  it('ends with the server', async () => {
    const { done } = await beginBuild({ p: 1 });
    test.engine.sessions.close();
    expect((await done).get('code')).toBe(11600);
    expect(indexNames(test)).toEqual(['_id_']);
    const next = testEngine(test);
    test.close();
    test = next;
  });

  it('is not there after a crash, and can be built again', async () => {
    const { done } = await beginBuild({ p: 1 });
    const restarted = testEngine(test);
    expect(leftoverTables(restarted.engine.store.main)).toHaveLength(1);
    expect(indexNames(restarted)).toEqual(['_id_']);
    await withoutLeftovers(restarted);
    const again = { createIndexes: 't', indexes: [{ key: { p: 1 }, name: 'p' }] };
    expect((await restarted.send(again)).get('numIndexesAfter')).toBe(2);
    expect(checkStore(restarted.engine.store)).toEqual([]);
    restarted.close();
    await done;
    const later = testEngine(test);
    expect(indexNames(later)).toEqual(['_id_', 'p']);
    expect(checkStore(later.engine.store)).toEqual([]);
    later.close();
  });
});

describe('a unique index that is built', () => {
  it.each([0, 1, MANY / 2, MANY - 1])('fails for a duplicate of document %d', async (n) => {
    const { done } = await beginBuild({ _id: 1, u: 1 }, { unique: true, name: 'u' });
    await done;
    await test.send({ dropIndexes: 't', index: 'u' });
    await update({ _id: { $exists: true } }, [{ $set: { u: '$_id' } }]);
    await update({ _id: n }, { $set: { u: MANY - 2 } });
    const reply = await test.send({
      createIndexes: 't',
      indexes: [{ key: { u: 1 }, name: 'u', unique: true }],
    });
    expect([reply.get('code'), (reply.get('keyValue') as Document).get('u')]).toEqual([
      11000,
      MANY - 2,
    ]);
    expect(indexNames(test)).toEqual(['_id_']);
  });

  it('fails for a duplicate that is written meanwhile, which the writer may do', async () => {
    await update({}, [{ $set: { u: '$_id' } }]);
    const { done } = await beginBuild({ u: 1 }, { unique: true });
    expect((await insert({ _id: -1, u: 7 })).get('n')).toBe(1);
    expect((await done).get('code')).toBe(11000);
    expect(await test.find('t', { u: 7 })).toHaveLength(2);
  });

  it('is made when a transaction writes a duplicate and takes it back', async () => {
    await update({}, [{ $set: { u: '$_id' } }]);
    const { done } = await beginBuild({ u: 1 }, { unique: true });
    await inTransaction(
      1,
      { update: 't', updates: [{ q: { _id: 1 }, u: { $set: { u: 2 } } }] },
      true,
    );
    await inTransaction(1, { update: 't', updates: [{ q: { _id: 2 }, u: { $set: { u: 1 } } }] });
    await inTransaction(1, { commitTransaction: 1 });
    await inTransaction(
      2,
      { update: 't', updates: [{ q: { _id: 3 }, u: { $set: { u: 4 } } }] },
      true,
    );
    await inTransaction(2, { abortTransaction: 1 });
    expect((await done).get('numIndexesAfter')).toBe(2);
    expect((await insert({ _id: -1, u: 2 })).get('writeErrors')).toBeDefined();
  });
});

it('an index over two arrays fails for a document that is written meanwhile', async () => {
  const { done } = await beginBuild({ p: 1, n: 1 });
  expect((await insert({ _id: -1, p: [1], n: [1] })).get('n')).toBe(1);
  expect((await done).get('code')).toBe(171);
  expect((await remove({ _id: -1 })).get('n')).toBe(1);
});

it('expired documents are removed once the index of their expiry is ready', async () => {
  await update({ _id: { $lt: 10 } }, { $set: { at: new Date(0) } });
  const { done } = await beginBuild({ at: 1 }, { expireAfterSeconds: 0 });
  await expireDocuments(test.engine);
  expect(await test.find('t', { _id: { $lt: 10 } })).toHaveLength(10);
  await done;
});

it('what is large is dropped at once, and its rows are removed afterwards, also after a crash', async () => {
  await test.send({ drop: 't' });
  expect(leftoverTables(test.engine.store.main).length).toBeGreaterThan(0);
  const restarted = testEngine(test);
  await withoutLeftovers(restarted);
  restarted.close();
  expect((await insert({ _id: 1 })).get('n')).toBe(1);
  await withoutLeftovers(test);
  expect(await test.find('t', {})).toHaveLength(1);
});

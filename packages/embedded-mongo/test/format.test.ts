import { Deprecated, TYPE } from '../bson/values.ts';
import { checkStore } from '../storage/check.ts';
import { Store } from '../storage/store.ts';
import { testEngine } from './engine.ts';

it('a file of the first format is brought to the present one', async () => {
  const test = testEngine();
  const documents = [{ _id: 1, a: [1, 2] }, { _id: 2 }];
  await test.send({ insert: 'c', documents });
  await test.send({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
  const { main } = test.engine.store;
  for (const [table, columns] of [
    ['collections', 'ns TEXT UNIQUE NOT NULL, options BLOB NOT NULL'],
    ['indexes', 'collection INTEGER NOT NULL, spec BLOB NOT NULL, multikey TEXT NOT NULL'],
  ]) {
    main.exec(`ALTER TABLE ${table} RENAME TO old; CREATE TABLE ${table} (id INTEGER PRIMARY KEY, ${columns});
      INSERT INTO ${table} SELECT * FROM old; DROP TABLE old`);
  }
  main.exec('PRAGMA user_version = 1');
  const again = testEngine(test);
  expect(await again.find('c', { a: 2 })).toHaveLength(1);
  expect(checkStore(again.engine.store)).toEqual([]);
  const id = again.engine.store.collection(again.engine.store.context(), 'test.c')?.id ?? 0;
  await again.send({ drop: 'c' });
  await again.send({ create: 'd' });
  const store = new Store(`${again.folder}/mongo.sqlite`, 'NORMAL');
  expect(store.collection(store.context(), 'test.d')?.id).toBeGreaterThan(id);
  store.close();
  again.close();
  test.close();
});

const symbolOf = (text: string): Deprecated =>
  new Deprecated(TYPE.symbol, Buffer.from(`\x02\0\0\0${text}\0`));

it('index entries of symbols in a file of format 2 are written anew, once', async () => {
  const test = testEngine();
  const documents = [
    { _id: symbolOf('s'), a: [symbolOf('x'), 1] },
    { _id: 't', a: 'x' },
  ];
  await test.send({ insert: 'c', documents });
  await test.send({ insert: 'u', documents: [{ _id: 1, a: symbolOf('x') }] });
  await test.send({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
  const { main } = test.engine.store;
  const collection = test.engine.store.collection(test.engine.store.context(), 'test.c');
  const makeOld = (): void => {
    // In format 2 a symbol came after all strings.
    for (const { table } of collection?.indexes ?? [])
      main.exec(`UPDATE ${table} SET k = x'10020000' WHERE rid = 1 AND substr(k, 1, 1) = x'0f'`);
    main.exec('PRAGMA user_version = 2');
  };
  makeOld();
  expect(await test.find('c', { a: 'x' })).toHaveLength(1);
  const again = testEngine(test);
  expect(again.engine.store.main.get('PRAGMA user_version')).toEqual([3]);
  expect(checkStore(again.engine.store)).toEqual([]);
  for (const filter of [{ a: 'x', _id: 's' }, { a: 1 }, { _id: 's' }])
    expect(await again.find('c', filter)).toHaveLength(1);
  expect(await again.find('c', { a: 'x' })).toHaveLength(2);
  again.close();

  // A file of format 3 is not read at the start.
  makeOld();
  main.exec('PRAGMA user_version = 3');
  const third = testEngine(test);
  expect(await third.find('c', { a: 'x' })).toHaveLength(1);
  third.close();
  test.close();
});

it('two documents that only format 2 told apart do not keep a unique index from starting', async () => {
  const test = testEngine();
  await test.send({ insert: 'c', documents: [{ _id: symbolOf('x') }] });
  const { main } = test.engine.store;
  const [index] =
    test.engine.store.collection(test.engine.store.context(), 'test.c')?.indexes ?? [];
  main.exec(`UPDATE ${index?.table} SET k = x'10020000'`);
  await test.send({ insert: 'c', documents: [{ _id: 'x' }] });
  main.exec('PRAGMA user_version = 2');
  const again = testEngine(test);
  expect(await again.find('c', { _id: 'x' })).toHaveLength(1);
  expect(await again.find('c', { _id: { $type: 'symbol' } })).toHaveLength(1);
  await again.send({ delete: 'c', deletes: [{ q: { _id: { $type: 'symbol' } }, limit: 1 }] });
  expect(await again.find('c', {})).toHaveLength(1);
  expect(checkStore(again.engine.store)).toEqual([]);
  again.close();
  test.close();
});

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

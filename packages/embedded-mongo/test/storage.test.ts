import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '../bson/decode.ts';
import { type Document, type Literal, toDocument } from '../bson/values.ts';
import { Engine } from '../server/engine.ts';
import { checkStore } from '../storage/check.ts';
import { DATA_FILE } from '../storage/store.ts';
import { temporaryFolder } from './helper.ts';

describe('the database file', () => {
  const { folder, remove } = temporaryFolder();
  const file = join(folder, DATA_FILE);
  let engine: Engine;
  beforeEach(() => {
    engine = new Engine({ file, durability: 'NORMAL' });
  });
  afterEach(() => engine.close());
  afterAll(remove);

  const run = async (command: { [field: string]: Literal }): Promise<Document> =>
    decodeDocument(await engine.execute(toDocument({ ...command, $db: 'test' }), new Map()));
  const insert = (collection: string, ids: number[], text = ''): Promise<Document> =>
    run({ insert: collection, documents: ids.map((_id) => ({ _id, text, n: _id % 7 })) });
  const count = async (collection: string): Promise<unknown> =>
    (await run({ count: collection })).get('n');

  it('stays whole when the disk is full, and says so', async () => {
    await run({ createIndexes: 'full', indexes: [{ key: { n: 1 }, name: 'n' }] });
    await insert('full', [1, 2, 3]);
    const pages = Number(engine.store.main.get('PRAGMA page_count')?.[0]);
    engine.store.main.get(`PRAGMA max_page_count = ${pages + 3}`);
    // Portions end by the clock: while it stands still, the insert is one portion.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const reply = await insert(
      'full',
      Array.from({ length: 50 }, (_, i) => 10 + i),
      'x'.repeat(2000),
    );
    clock.mockRestore();
    expect(reply.get('codeName')).toBe('OutOfDiskSpace');
    expect(await count('full')).toBe(3);
    engine.store.main.get('PRAGMA max_page_count = 1000000');
    await insert('full', [4]);
    expect(await count('full')).toBe(4);
    expect(checkStore(engine.store)).toEqual([]);
  });

  it('is read on while the disk is full, and shows nothing of the refused writes', async () => {
    await insert(
      'read',
      Array.from({ length: 200 }, (_, i) => i),
    );
    const pages = Number(engine.store.main.get('PRAGMA page_count')?.[0]);
    engine.store.main.get(`PRAGMA max_page_count = ${pages}`);
    const command = (name: string, more: { [field: string]: Literal } = {}) =>
      run({ [name]: 'read', ...more });
    // The reads come in the same turn as the writes, whose group is rolled back.
    const turns = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        Promise.all([
          insert('read', [1_000 + i], 'x'.repeat(50_000)),
          command('count'),
          command('find', { filter: { _id: { $gte: 199 } } }),
          command('find', { batchSize: 10 }),
        ]),
      ),
    );
    for (const [written, counted, found, opened] of turns) {
      expect(written.get('codeName')).toBe('OutOfDiskSpace');
      expect(counted.get('n')).toBe(200);
      const { firstBatch } = Object.fromEntries(found.get('cursor') as Document);
      expect(firstBatch).toHaveLength(1);
      const { id } = Object.fromEntries(opened.get('cursor') as Document);
      const more = await run({ getMore: id as Literal, collection: 'read' });
      const { nextBatch } = Object.fromEntries(more.get('cursor') as Document);
      expect(nextBatch).toHaveLength(190);
    }
    engine.store.main.get('PRAGMA max_page_count = 1000000');
  });

  it('takes back a collection and an index whose making failed', async () => {
    await insert('twice', [1, 8]);
    const reply = await run({
      createIndexes: 'twice',
      indexes: [{ key: { n: 1 }, name: 'n', unique: true }],
    });
    expect(reply.get('code')).toBe(11000);
    const { size } = (await run({ listIndexes: 'twice' })).get('cursor') as Document;
    expect(size).toBe(3);
    await insert('twice', [15]);
    expect(await count('twice')).toBe(3);
    expect(checkStore(engine.store)).toEqual([]);
  });

  it('is compared with its indexes by the command check', async () => {
    await insert('checked', [1, 2]);
    engine.close();
    const check = (): string =>
      execFileSync(process.execPath, [join(import.meta.dirname, '../cli.ts'), 'check', folder], {
        encoding: 'utf8',
      });
    expect(check()).toBe('ok\n');
    engine = new Engine({ file, durability: 'NORMAL' });
    const index = engine.store.collection(engine.store.context(), 'test.checked')?.index('_id_');
    engine.store.main.exec(`DELETE FROM ${index?.table}`);
    engine.close();
    expect(check).toThrow(/Command failed/);
    engine = new Engine({ file, durability: 'NORMAL' });
  });

  it('is refused where the folder is read-only', () => {
    const other = temporaryFolder();
    chmodSync(other.folder, 0o500);
    // The superuser may write everywhere.
    if (process.getuid?.() !== 0) {
      expect(
        () => new Engine({ file: join(other.folder, DATA_FILE), durability: 'NORMAL' }),
      ).toThrow();
    }
    chmodSync(other.folder, 0o700);
    other.remove();
  });
});

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Collection } from 'mongodb';
import { copyEmbeddedMongo, startEmbeddedMongo } from '../index.ts';
import { copyStore } from '../storage/copy.ts';
import { DATA_FILE } from '../storage/store.ts';
import { errorOf, temporaryFolder, testServer } from './helper.ts';

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '../cli.ts');
const check = async (folder: string) =>
  (await run(process.execPath, [CLI, 'check', folder])).stdout;

interface Account {
  _id: number;
  balance: number;
  n: number;
}

describe('a copy of the data', () => {
  const { folder, remove } = temporaryFolder();
  afterAll(remove);
  let copies = 0;
  const next = () => join(folder, `copy-${++copies}`);

  it('has one moment of a database that is written to, with all that was acknowledged before', async () => {
    const data = join(folder, 'data');
    const { client, db, stop } = await testServer({ folder: data });
    const accounts: Collection<Account> = db.collection('accounts');
    await accounts.createIndex({ n: 1 }, { unique: true });
    const filler = 'x'.repeat(2_000);
    await db.collection('filler').insertMany(Array.from({ length: 3_000 }, () => ({ filler })));
    await accounts.insertMany([0, 1].map((_id) => ({ _id, balance: 500, n: -_id })));
    let acknowledged = 1;
    let isOver = false;
    const insert = async () => {
      while (!isOver) {
        const n = acknowledged + 1;
        await accounts.insertOne({ _id: n, balance: 0, n });
        acknowledged = n;
      }
    };
    const transfer = async () => {
      while (!isOver) {
        await client.withSession((session) =>
          session.withTransaction(async () => {
            await accounts.updateOne({ _id: 0 }, { $inc: { balance: -1 } }, { session });
            await accounts.updateOne({ _id: 1 }, { $inc: { balance: 1 } }, { session });
          }),
        );
      }
    };
    const writers = [insert(), transfer()];
    const made: { into: string; before: number }[] = [];
    for (let n = 0; n < 3; n++) {
      const into = next();
      made.push({ into, before: acknowledged });
      await copyEmbeddedMongo({ folder: data, into });
    }
    isOver = true;
    await Promise.all(writers);
    await stop();
    for (const { into, before } of made) {
      expect(await check(into)).toBe('ok\n');
      expect(statSync(into).mode & 0o777).toBe(0o700);
      expect(statSync(join(into, DATA_FILE)).mode & 0o777).toBe(0o600);
      const copy = await testServer({ folder: into });
      const copied: Collection<Account> = copy.db.collection('accounts');
      const [sum] = await copied
        .aggregate([{ $group: { _id: null, balance: { $sum: '$balance' } } }])
        .toArray();
      expect(sum?.balance).toBe(1_000);
      const inserted = await copied.countDocuments({ _id: { $gt: 1 } });
      expect(inserted).toBeGreaterThanOrEqual(before - 1);
      expect(await copied.countDocuments({ _id: inserted + 1 })).toBe(1); // none in between is missing
      const twice = copied.insertOne({ _id: -1, balance: 0, n: 0 });
      expect((await errorOf(twice)).code).toBe(11_000);
      await copy.stop();
    }
  });

  it('is made of a stopped database as well, by the command line', async () => {
    const data = join(folder, 'stopped');
    const { db, stop } = await testServer({ folder: data });
    await db.collection('a').insertOne({ said: 'before' });
    await stop();
    const into = next();
    await run(process.execPath, [CLI, 'copy', data, into]);
    expect(await check(into)).toBe('ok\n');
    const copy = await testServer({ folder: into });
    expect(await copy.db.collection('a').findOne()).toMatchObject({ said: 'before' });
    await copy.stop();
  });

  it('is not made over another folder, nor of a folder without data', async () => {
    const taken = await errorOf(copyEmbeddedMongo({ folder: join(folder, 'data'), into: folder }));
    expect(taken.name).toBe('EmbeddedMongoFailed');
    expect(taken.message).toMatch(/^The copy failed: EEXIST/);
    const nothing = copyEmbeddedMongo({ folder: join(folder, 'nothing'), into: next() });
    expect((await errorOf(nothing)).message).toMatch(/nothing has no file mongo\.sqlite\.$/);
    expect(existsSync(join(folder, `copy-${copies}`))).toBe(false);
  });

  it('is not checked where there is none', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect((await errorOf(check(empty))).message).toContain('has no file mongo.sqlite.');
    expect(existsSync(join(empty, DATA_FILE))).toBe(false);
  });

  it('is not begun where the disk has no room for it', async () => {
    const data = join(folder, 'huge');
    cpSync(join(folder, 'data'), data, { recursive: true });
    truncateSync(join(data, DATA_FILE), 8 * 1024 ** 4); // a sparse file
    const into = next();
    const { message } = await errorOf(copyStore(data, into));
    expect(message).toMatch(/^The copy needs 8796093\d+ bytes, and the disk of .* has \d+ free\.$/);
    expect(existsSync(into)).toBe(false);
  });

  it('is given up when the log file of the database grows beyond its limit', async () => {
    const data = join(folder, 'data');
    const { db, stop } = await testServer({ folder: data });
    await db.collection('a').insertOne({ said: 'before' });
    const into = next();
    const { message } = await errorOf(copyStore(data, into, { maxLogBytes: 1 }));
    expect(message).toMatch(
      /^The copy is too slow for the writes: mongo\.sqlite-wal has \d+ bytes/,
    );
    expect(existsSync(into)).toBe(false);
    await copyStore(data, next());
    await stop();
  });

  it('leaves no large log file behind', async () => {
    const data = join(folder, 'log');
    const { db, stop } = await testServer({ folder: data });
    const log = join(data, `${DATA_FILE}-wal`);
    const filler = 'x'.repeat(1024 * 1024);
    await db.collection('a').insertOne({ filler });
    const reader = new DatabaseSync(join(data, DATA_FILE), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sqlite_schema').get(); // as a copy reads
    for (let n = 0; n < 50; n++) await db.collection('a').insertOne({ filler });
    expect(statSync(log).size).toBeGreaterThan(50 * 1024 * 1024);
    reader.close();
    for (let n = 0; n < 2; n++) await db.collection('a').insertOne({ filler });
    expect(statSync(log).size).toBeLessThanOrEqual(32 * 1024 * 1024);
    await stop();
  });

  it('fails where it has no room, and leaves the database alone', async () => {
    const data = join(folder, 'data');
    const into = next();
    const limited = `ulimit -f 2000; exec "$0" "$1" copy "$2" "$3"`; // 1 MB, of 6
    const failed = await errorOf(
      run('sh', ['-c', limited, process.execPath, CLI, data, into]) as Promise<unknown>,
    );
    expect(failed.message).toMatch(/disk I\/O error|disk is full/);
    expect(await check(data)).toBe('ok\n');
  });

  it('ends at once with its signal', async () => {
    const signal = AbortSignal.abort();
    const into = next();
    const ended = copyEmbeddedMongo({ folder: join(folder, 'data'), into, signal });
    expect((await errorOf(ended)).name).toBe('EmbeddedMongoFailed');
    expect(existsSync(join(into, DATA_FILE))).toBe(false);
  });

  it('does not keep a server from its folder', async () => {
    const data = join(folder, 'data');
    const copying = copyEmbeddedMongo({ folder: data, into: next() });
    const server = await startEmbeddedMongo({ folder: data });
    await copying;
    await server.stop();
  });
});

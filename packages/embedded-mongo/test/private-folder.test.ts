import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../index.ts';
import { temporaryFolder } from './helper.ts';

/** Permissions by name, the folder's own under its own name. */
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    ['', ...readdirSync(folder)].map((name) => [
      name || 'folder',
      (statSync(join(folder, name)).mode & 0o1777).toString(8),
    ]),
  );

/** What there is while the database is in use, after a write. */
async function modesInUse(folder: string): Promise<Record<string, string>> {
  const mongo = await startEmbeddedMongo({ folder, dbName: 'a' });
  const client = await new MongoClient(mongo.uri).connect();
  await client.db().collection('a').insertOne({ a: 1 });
  const modes = modesIn(folder);
  await client.close();
  await mongo.stop();
  return modes;
}

const PRIVATE = {
  folder: '700',
  holder: '600',
  'lock.sqlite': '600',
  'lock.sqlite-journal': '600',
  'mongo.sqlite': '600',
  'mongo.sqlite-shm': '600',
  'mongo.sqlite-wal': '600',
};

(process.platform === 'win32' ? describe.skip : describe)('the folder of the data', () => {
  const { folder: parent, remove } = temporaryFolder();
  afterAll(remove);

  it("is its owner's alone, and everything in it", async () => {
    expect(await modesInUse(join(parent, 'new', 'db'))).toEqual(PRIVATE);
    expect(modesIn(join(parent, 'new')).folder).toBe('700');
  });

  it('is so again when it was open to others', async () => {
    const folder = join(parent, 'loose');
    await modesInUse(folder);
    chmodSync(folder, 0o755);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    expect(await modesInUse(folder)).toEqual(PRIVATE);
  });

  it('is refused where a link stands in for the file of the holder, whose target stays as it is', async () => {
    const folder = join(parent, 'planted');
    const target = join(parent, 'target');
    writeFileSync(target, 'of somebody else');
    mkdirSync(folder);
    symlinkSync(target, join(folder, 'holder'));
    await expect(modesInUse(folder)).rejects.toThrow(`The folder ${folder} cannot hold a database`);
    expect(readFileSync(target, 'utf8')).toBe('of somebody else');
  });

  it('leaves alone what is not its own: a folder for everybody, a file of somebody else', async () => {
    const folder = join(parent, 'shared');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes'), '');
    chmodSync(join(folder, 'notes'), 0o644);
    chmodSync(folder, 0o1777);
    expect(await modesInUse(folder)).toEqual({ ...PRIVATE, folder: '1777', notes: '644' });
    const link = join(parent, 'link');
    symlinkSync(folder, link);
    expect((await modesInUse(link)).folder).toBe('1777');
  });
});

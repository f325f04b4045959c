import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BackupFolder,
  backupName,
  backupTime,
  MAX_BACKUPS,
} from '../../../mixins/backups/backup-folder.ts';
import { dataFolder, stopServers } from '../../helpers/server.ts';

const folders: BackupFolder[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) folder.close();
});
afterAll(stopServers);

async function openFolder(path = join(dataFolder(), 'backups')): Promise<BackupFolder> {
  const folder = new BackupFolder(path);
  folders.push(folder);
  await folder.open();
  return folder;
}
const fill = async (into: string) => writeFileSync(join(into, 'data'), 'whole');
const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, second, 5));
const backupsIn = ({ path }: BackupFolder) => readdirSync(path).filter((name) => backupTime(name));
const partialsIn = ({ path }: BackupFolder) =>
  readdirSync(path).filter((name) => name.startsWith('partial-'));

it('names a backup by its time', () => {
  expect(backupName(at(7))).toBe('2026-01-31T09-30-07.005Z');
  expect(backupTime('2026-01-31T09-30-07.005Z')).toEqual(at(7));
  for (const other of [
    'partial-2026-01-31T09-30-07.005Z',
    'lock.sqlite',
    '2026-13-31T09-30-07.005Z',
  ]) {
    expect(backupTime(other)).toBeNull();
  }
});

it('keeps the newest backups, for their owner alone', async () => {
  const folder = await openFolder();
  const made = MAX_BACKUPS + 3;
  for (let n = 0; n < made; n++) await folder.add(at(n), fill);
  const kept = Array.from({ length: MAX_BACKUPS }, (_, n) => at(made - 1 - n));
  expect(await folder.list(at(made))).toEqual(kept);
  expect(backupsIn(folder)).toHaveLength(MAX_BACKUPS);
  expect(partialsIn(folder)).toEqual([]);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder.path, backupName(at(made - 1)))).mode & 0o777).toBe(0o700);
});

it('keeps a new backup however many there are of a clock that was ahead, and those as the oldest', async () => {
  const folder = await openFolder();
  for (let n = 0; n < MAX_BACKUPS; n++) await folder.add(at(30 + n), fill);
  await folder.add(at(1), fill);
  await folder.add(at(2), fill);
  const kept = await folder.list(at(3));
  expect(kept).toHaveLength(MAX_BACKUPS);
  expect(kept.slice(0, 2)).toEqual([at(2), at(1)]);
});

it('counts no file that has the name of a backup', async () => {
  const folder = await openFolder();
  writeFileSync(join(folder.path, backupName(at(1))), '');
  expect(await folder.list(at(2))).toEqual([]);
});

it('counts no backup that failed, and none while it is filled', async () => {
  const folder = await openFolder();
  await folder.add(at(1), fill);
  const failed = folder.add(at(2), async (into) => {
    await fill(into);
    expect(await folder.list(at(3))).toEqual([at(1)]);
    throw new Error('the disk is full');
  });
  await expect(failed).rejects.toThrow('the disk is full');
  expect(await folder.list(at(3))).toEqual([at(1)]);
  expect(partialsIn(folder)).toEqual([]);
});

it('removes what a killed process has left, and leaves alone what it does not know', async () => {
  const path = join(dataFolder(), 'backups');
  mkdirSync(join(path, 'partial-2026-01-31T09-30-07.005Z', 'db'), { recursive: true });
  writeFileSync(join(path, 'notes.txt'), 'mine');
  const folder = await openFolder(path);
  expect(partialsIn(folder)).toEqual([]);
  expect(existsSync(join(path, 'notes.txt'))).toBe(true);
});

it('is of one process at a time, until that process ends', async () => {
  const { path } = await openFolder();
  const script = `
    import { lockFolder } from ${JSON.stringify(require.resolve('@workspace-automation/embedded-mongo'))};
    try { globalThis.lock = lockFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1e6); }
    catch (error) { console.log(error.message); }`;
  const lock = () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, path]);
    children.push(child);
    return child;
  };
  const [refused] = await once(lock().stdout, 'data');
  expect(String(refused)).toContain(`is in use by process ${process.pid}`);
  folders.pop()?.close();
  const other = lock();
  const [locked] = await once(other.stdout, 'data');
  expect(String(locked)).toBe('locked\n');
  await expect(openFolder(path)).rejects.toThrow(/in use|is locked/); // jest's own Error class hides the first
  other.kill('SIGKILL');
  await once(other, 'exit');
  await openFolder(path);
});

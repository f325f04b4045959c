import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedMongo, startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { MongoClient } from 'mongodb';
import { backupName, backupTime } from '../../../mixins/backups/backup-folder.ts';
import { backupFailed, backupMade } from '../../../mixins/backups/backups.diagnostics.ts';
import { Backups } from '../../../mixins/backups/backups.ts';
import { logger } from '../../../support/logging.ts';
import { dataFolder, stopServers } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const HOUR_MS = 3_600_000;
let dataDir: string;
let database: EmbeddedMongo;
const running: Backups[] = [];

beforeAll(async () => {
  dataDir = dataFolder();
  database = await startEmbeddedMongo({ folder: join(dataDir, 'db') });
  const client = await new MongoClient(database.uri).connect();
  await client.db('test').collection('a').insertOne({ said: 'before' });
  await client.close();
  mkdirSync(join(dataDir, 'keys'));
  writeFileSync(join(dataDir, 'keys', 'credentials-master-keys'), 'a key', { mode: 0o600 });
  writeFileSync(join(dataDir, 'keys', 'half.draft'), 'half');
});
afterEach(async () => {
  for (const backups of running.splice(0)) await backups.stop();
  jest.restoreAllMocks();
});
afterAll(async () => {
  await database.stop();
  await stopServers();
});

function start(backupDir: string, everyMs = HOUR_MS, keyVariables: string[] = []): Backups {
  const backups = new Backups({ dataDir, backupDir, everyMs, keyVariables });
  running.push(backups);
  backups.start();
  return backups;
}
const namesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => backupTime(name))
        .sort()
    : [];
const backupFolder = () => join(dataFolder(), 'backups');

it('makes the first backup at once: the database and the keys', async () => {
  const folder = backupFolder();
  jest.spyOn(logger, 'info').mockReturnValue();
  start(folder);
  const [name = ''] = await waitFor(
    'a backup',
    () => namesIn(folder).length > 0 && namesIn(folder),
  );
  const keys = join(folder, name, 'keys');
  expect(readdirSync(keys)).toEqual(['credentials-master-keys']);
  expect(readFileSync(join(keys, 'credentials-master-keys'), 'utf8')).toBe('a key');
  const copy = await startEmbeddedMongo({ folder: join(folder, name, 'db') });
  const client = await new MongoClient(copy.uri).connect();
  expect(await client.db('test').collection('a').findOne()).toMatchObject({ said: 'before' });
  await client.close();
  await copy.stop();
});

it('makes a backup although one is there of a clock that was ahead, and says since when it has one', async () => {
  const folder = backupFolder();
  jest.spyOn(logger, 'info').mockReturnValue();
  const told: number[] = [];
  const end = backupMade.subscribe(({ since }) => told.push(+since));
  const ahead = new Date(Date.now() + 24 * HOUR_MS);
  mkdirSync(join(folder, backupName(ahead)), { recursive: true });
  start(folder);
  await waitFor('a backup beside it', () => namesIn(folder).length === 2);
  const [made] = namesIn(folder);
  await waitFor('its event', () => told.includes(+(backupTime(made ?? '') ?? 0)));
  expect(Math.max(...told)).toBeLessThan(+ahead);
  end();
});

it('says in the log which keys are not in a backup', async () => {
  const info = jest.spyOn(logger, 'info').mockReturnValue();
  start(backupFolder(), HOUR_MS, ['CREDENTIALS_MASTER_KEYS']);
  await waitFor('the log', () => info.mock.calls.length > 0);
  expect(info.mock.calls[0]?.[0]).toMatchObject({ withoutKeysOf: ['CREDENTIALS_MASTER_KEYS'] });
});

it('goes on with its interval after a restart', async () => {
  const folder = backupFolder();
  jest.spyOn(logger, 'info').mockReturnValue();
  const told: { since: Date; everyMs: number }[] = [];
  const end = backupMade.subscribe((made) => told.push(made));
  const recent = new Date(Date.now() - HOUR_MS / 2);
  mkdirSync(join(folder, backupName(recent)), { recursive: true });
  start(folder);
  await waitFor('the newest backup', () => told.some(({ since }) => +since === +recent));
  expect(namesIn(folder)).toHaveLength(1);
  await running.pop()?.stop();
  start(folder, HOUR_MS / 4); // due since a quarter of an hour
  await waitFor('the due backup', () => namesIn(folder).length === 2);
  await waitFor('its event', () =>
    told.some(({ since }) => +since > +recent + HOUR_MS / 2 - 60_000),
  );
  end();
});

it('says in the log that a folder cannot be used, and goes on when it can', async () => {
  const folder = backupFolder();
  writeFileSync(folder, 'a file in its place');
  jest.spyOn(logger, 'info').mockReturnValue();
  const error = jest.spyOn(logger, 'error').mockReturnValue();
  let failures = 0;
  const end = backupFailed.subscribe(() => failures++);
  start(folder, 1_000);
  await waitFor('the failure', () => error.mock.calls.length > 1);
  expect(error.mock.calls[0]?.[1]).toBe('A backup of the embedded database failed');
  expect(failures).toBeGreaterThan(1);
  rmSync(folder);
  await waitFor('a backup', () => namesIn(folder).length > 0);
  end();
});

it('leaves nothing of a backup that a stop has ended', async () => {
  jest.spyOn(logger, 'info').mockReturnValue();
  const error = jest.spyOn(logger, 'error').mockReturnValue();
  const folder = backupFolder();
  const backups = start(folder);
  await waitFor('the copy', () => existsSync(folder) && readdirSync(folder).some(isPartial));
  await backups.stop();
  expect(readdirSync(folder).filter((name) => isPartial(name) || backupTime(name))).toEqual([]);
  expect(error).not.toHaveBeenCalled();
  start(folder);
  await waitFor('the next backup', () => namesIn(folder).length > 0);
});

const isPartial = (name: string): boolean => name.startsWith('partial-');

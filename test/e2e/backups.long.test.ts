import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { MongoClient } from 'mongodb';
import { backupsIn, checkDatabase, restore } from '../helpers/backups.ts';
import { request } from '../helpers/http.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** Milliseconds within which a kill comes after the beginning of a copy: a copy takes about as long. */
const KILLED_WITHIN_MS = 1_000;

afterAll(stopServers);

/** A pseudo-random number in [0, 1) of a seed (mulberry32). */
function randomOf(seed: number): number {
  let t = (seed * 0x6d2b79f5) | 0;
  t = Math.imul(t ^ (t >>> 15), 1 | t);
  t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

test('each backup that counts is sound, whenever the process was killed', async () => {
  const backupDir = join(dataFolder(), 'backups');
  const env = { BACKUP_DIR: backupDir, BACKUP_EVERY_MS: '1000', PUBLIC_URL: 'http://service.test' };
  const dataDir = dataFolder();
  const start = () => startServer({ dataDir, oneProcess: true, env });
  let server = await start();
  let ada = await register(server.url);
  const workspaceId = await createWorkspace(ada);
  const acknowledged: { id: number; at: number }[] = [];

  for (const seed of SEEDS) {
    const writing = writeIssues(ada, workspaceId, acknowledged);
    const earlier = backupsIn(backupDir)[0];
    await waitFor('a backup', () => +(backupsIn(backupDir)[0] ?? 0) > +(earlier ?? 0));
    await waitFor('the next copy', () =>
      readdirSync(backupDir).some((name) => name.startsWith('partial-')),
    );
    await sleep(randomOf(seed) * KILLED_WITHIN_MS);
    await server.kill();
    await writing;
    const [newest] = backupsIn(backupDir);
    if (newest) await assertSound(backupDir, newest, acknowledged);
    server = await start();
    ada = personAt(ada, server);
  }
  expect(await server.stop()).toBe(0);
  expect(acknowledged.length).toBeGreaterThan(100);
}, 600_000);

/** Asserts that a restored backup is sound, and has the latest issues that were acknowledged before the backup began. */
async function assertSound(
  backupDir: string,
  time: Date,
  acknowledged: readonly { id: number; at: number }[],
): Promise<void> {
  const dataDir = restore(backupDir, time);
  expect(await checkDatabase(dataDir)).toBe('ok\n');
  const database = await startEmbeddedMongo({ folder: join(dataDir, 'db') });
  const client = await new MongoClient(database.uri).connect();
  const issues = client.db().collection<{ _id: number }>('issues');
  const before = acknowledged.filter(({ at }) => at < +time).slice(-100);
  expect(await issues.countDocuments({ _id: { $in: before.map(({ id }) => id) } })).toBe(
    before.length,
  );
  await client.close();
  await database.stop();
}

async function writeIssues(
  ada: Person,
  workspaceId: number,
  acknowledged: { id: number; at: number }[],
): Promise<void> {
  const path = `/workspaces/${workspaceId}/issues`;
  const body = { title: 'A tooth is loose', description: 'x'.repeat(9_000) };
  for (;;) {
    const answer = await ada.call<{ id: number }>('POST', path, { body }).catch(() => null);
    if (!answer) return;
    expect(answer.status).toBe(201);
    acknowledged.push({ id: answer.body.id, at: Date.now() });
  }
}

/** The same person at another server with the same keys. */
const personAt = (person: Person, { url }: TestServer): Person => ({
  ...person,
  call: (method, path, options = {}) =>
    request(url, method, path, { token: person.token, ...options }),
});

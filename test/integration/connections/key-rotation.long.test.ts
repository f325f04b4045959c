import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type MasterKeys, readMasterKeys } from '../../../environment/values/master-keys.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { prepareCredential } from '../../../services/connections/auth-credentials/prepare-credential.ts';
import { Envelope } from '../../../services/connections/envelope/envelope.ts';
import { startTestDatabase, type TestDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WORKSPACES = 2_000;
const CREDENTIALS = 10_000;
/** Uses of credentials in a second, and the milliseconds between two of them. */
const USES_PER_SECOND = 50;
const PAUSE_MS = 1_000 / USES_PER_SECOND;
/** Workspace keys that are re-wrapped when the rotation is killed. */
const KILL_AFTER = Number(process.env.SEED ?? randomInt(100, WORKSPACES - 200));
const URL_OF_CALL = new URL('https://api.example/orders');

const base64 = () => randomBytes(32).toString('base64');
const keysOf = (...texts: string[]): MasterKeys => {
  const keys = readMasterKeys(texts.join(','));
  if (!keys) throw new Error('no master keys');
  return keys;
};
const [OLD, NEW] = [base64(), base64()];
const noToken = () => Promise.reject(new Error('no OAuth credential is used here'));
const secretOf = (id: number): string => `secret-of-credential-${id}`;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase([AuthCredentialModel, WorkspaceKeyModel]);
  await plantCredentials();
}, 120_000);
afterAll(() => database.end());

/** Stores the credentials with secrets that are sealed under the old master key. */
async function plantCredentials(): Promise<void> {
  const envelope = new Envelope(() => keysOf(OLD));
  for (let first = 1; first <= CREDENTIALS; first += 500) {
    const ids = Array.from({ length: 500 }, (_, at) => first + at);
    await AuthCredentialModel.insertMany(
      await Promise.all(ids.map((id) => credential(id, envelope))),
    );
  }
}

async function credential(_id: number, envelope: Envelope) {
  const workspaceId = (_id % WORKSPACES) + 1;
  const place = { workspaceId, id: _id, field: 'secret' };
  const now = new Date();
  return {
    _id,
    workspaceId,
    name: 'x',
    authType: 'BEARER' as const,
    allowedOrigins: [URL_OF_CALL.origin],
    sealedSecret: await envelope.sealField(place, JSON.stringify({ token: secretOf(_id) })),
    secretVersion: 1,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: now,
    revision: 1,
  };
}

/** Puts the secret of a credential into a request, as a process that has just started. */
async function use(id: number, ...masterKeys: string[]): Promise<void> {
  const stored = await AuthCredentialModel.findById(id).lean();
  if (!stored) throw new Error(`no credential ${id}`);
  const keys = keysOf(...masterKeys);
  const tools = { sealer: new Envelope(() => keys), tokens: { accessTokenOf: noToken } };
  expect(await prepareCredential(stored, URL_OF_CALL, tools)).toMatchObject({
    secretHeaders: { authorization: `Bearer ${secretOf(id)}` },
  });
}

/** Uses credentials until the work is done. Returns the number of uses. */
async function useDuring(work: Promise<unknown>): Promise<number> {
  const uses: Promise<void>[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    uses.push(use(randomInt(1, CREDENTIALS + 1), NEW, OLD));
    await sleep(PAUSE_MS);
  }
  await done;
  await Promise.all(uses);
  return uses.length;
}

const countStale = (): Promise<number> =>
  WorkspaceKeyModel.countDocuments({ kid: { $ne: keysOf(NEW)[0].kid } });

function startRotation() {
  const { host, port, name } = mongoose.connection;
  const child = spawn(process.execPath, [join(ROOT, 'deploy/rotate-keys.ts')], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      MONGODB_URI: `mongodb://${host}:${port}/${name}?directConnection=true`,
      CREDENTIALS_MASTER_KEYS: `${NEW},${OLD}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return { child, exited: once(child, 'exit'), output: () => output };
}

async function rotateAndKill(): Promise<void> {
  const { child, exited } = startRotation();
  await waitFor(
    'the middle of the rotation',
    async () => (await countStale()) <= WORKSPACES - KILL_AFTER,
  );
  child.kill('SIGKILL');
  await exited;
}

test(`a rotation that is killed after ${KILL_AFTER} keys goes on, and every secret can be opened all the time`, async () => {
  expect(await countStale()).toBe(WORKSPACES);
  expect(await useDuring(rotateAndKill())).toBeGreaterThan(0);
  const left = await countStale();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(WORKSPACES);

  const again = startRotation();
  expect(await useDuring(again.exited)).toBeGreaterThan(0);
  expect(again.output()).toBe(`re-wrapped: ${left}, left: 0\n`);
  expect(await countStale()).toBe(0);
  for (let id = 1; id <= CREDENTIALS; id += 7) await use(id, NEW);
  await expect(use(1, OLD)).rejects.toThrow(/lacks the key/);
});

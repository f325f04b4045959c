import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedMongo, startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { pino } from 'pino';
import { connectDatabase, disconnectDatabase } from '../../../mixins/database/database.ts';
import { RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { freePort } from '../../helpers/free-port.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, queueRun, runOf, waitOf, workerOf } from './engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'outage-'));
let database: EmbeddedMongo;
let worker: RunWorker | undefined;

const portOf = () => Number(new URL(database.uri).port);
const start = async (port: number) => {
  database = await startEmbeddedMongo({ folder, port, dbName: 'outage' });
};
/** The database is gone for so long, and comes back where it was. */
async function outage(ms: number): Promise<void> {
  const port = portOf();
  database.process.kill('SIGKILL');
  await database.exited;
  await sleep(ms);
  await start(port);
}

beforeAll(async () => {
  await start(await freePort());
  await connectDatabase(database.uri);
  for (const model of [RunModel, WorkerModel]) {
    await (model as typeof RunModel).createCollection();
    await (model as typeof RunModel).createIndexes();
  }
});
afterEach(() => worker?.stop());
afterAll(async () => {
  await disconnectDatabase();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ended = (id: number) =>
  waitFor('the end', async () => (await runOf(id).catch(() => null))?.status === 'SUCCESS', 20_000);

test('a short outage while a call is under way: its end is written afterwards, once', async () => {
  const sent: string[] = [];
  const { _id } = await queueRun();
  worker = workerOf({
    plan: callsTo('/a', '/b'),
    send: async ({ url }) => {
      sent.push(url);
      if (sent.length === 1) void outage(1_000);
      await sleep(200);
    },
  });
  await worker.start();
  await ended(_id);
  expect(sent).toEqual(['http://x.test/a', 'http://x.test/b']);
  expect((await runOf(_id)).journal.filter(({ effect }) => effect)).toHaveLength(2);
});

test('an outage longer than the lease: the run goes on all the same', async () => {
  const sent: string[] = [];
  const { _id } = await queueRun();
  const logged: string[] = [];
  worker = workerOf({
    logger: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    plan: callsTo('/a', '/b'),
    send: async ({ ownHeaders }) => {
      sent.push(String(ownHeaders?.['idempotency-key']));
      if (sent.length === 1) await outage(6_000);
    },
  });
  await worker.start();
  await ended(_id);
  expect(new Set(sent).size).toBe(2);
  expect(sent.length).toBeLessThanOrEqual(3);
  const told = (what: string) => logged.filter((line) => line.includes(what)).length;
  await waitFor('the news', () => told('is back') > 0);
  expect([told('is away'), told('is back')]).toEqual([1, 1]);
});

test('an outage while a run waits', async () => {
  const { _id } = await queueRun();
  worker = workerOf({ plan: waitOf(1_500) });
  await worker.start();
  await waitFor('the wait', async () => (await runOf(_id)).status === 'WAITING');
  await outage(500);
  await ended(_id);
});

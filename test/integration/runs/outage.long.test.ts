import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedMongo, startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { pino } from 'pino';
import {
  connectDatabase,
  disconnectDatabase,
  makeCollection,
} from '../../../mixins/database/database.ts';
import { RunModel } from '../../../models/run.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { freePort } from '../../helpers/free-port.ts';
import { waitFor } from '../../helpers/wait.ts';
import { callsTo, queueRun, runOf, workerOf } from './engine.ts';

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
  await makeCollection(RunModel);
  await makeCollection(WorkerModel);
});
afterEach(() => worker?.stop());
afterAll(async () => {
  await disconnectDatabase();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
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
  await waitFor('the end', async () => (await runOf(_id).catch(() => null))?.status === 'SUCCESS');
  expect(new Set(sent).size).toBe(2);
  expect(sent.length).toBeLessThanOrEqual(3);
  const told = (what: string) => logged.filter((line) => line.includes(what)).length;
  await waitFor('the news', () => told('is back') > 0);
  expect([told('Runs wait'), told('is back')]).toEqual([1, 1]);
});

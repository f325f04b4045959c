import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { createWorkspace, register } from '../../test/helpers/people.ts';
import { createFlow, startRun } from '../../test/helpers/runs.ts';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { FIGURES } from '../figures.ts';
import { usageOfTree } from '../process.ts';
import { printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';

const RUNS = 100_000;
/** Milliseconds before the measurement, in which the database writes the inserts to its file and the service finds them. */
const SETTLE_MS = 8_000;
/** Seconds of the measurement. */
const SECONDS = 15;
const REST_OF_A_DAY = 'do:\n  - rest: { wait: { days: 1 } }\n';

interface System {
  service: TestServer;
  database: EmbeddedMongo;
}

/** Measures the CPU time and memory of an idle system with many waiting runs and of one without, in the same seconds. */
export async function measureIdleWaiting(): Promise<void> {
  if (process.platform !== 'linux')
    return printLine('idle with waiting runs: measured on Linux only');
  const [full, empty] = [await startSystem('waiting'), await startSystem('none-waiting')];
  await addWaitingRuns(full);
  await sleep(SETTLE_MS);
  const before = [full, empty].map(cpuSecondsOf);
  await sleep(SECONDS * 1000);
  const [waiting = Number.NaN, none = Number.NaN] = [full, empty].map(
    (system, n) => ((cpuSecondsOf(system) - (before[n] ?? Number.NaN)) / SECONDS) * 100,
  );
  printLine(
    `idle, all processes: ${waiting.toFixed(1)} % of a core with ${RUNS} waiting runs, ${none.toFixed(1)} % with none`,
  );
  reportFigure(FIGURES.idleWaiting, waiting - none);
  for (const { service, database } of [full, empty]) {
    await service.stop();
    await stopDatabase(database);
  }
}

async function startSystem(name: string): Promise<System> {
  const database = await startDatabase(name);
  return { service: await startServer({ env: productionEnvironment(database.uri) }), database };
}

const cpuSecondsOf = ({ service, database }: System): number =>
  usageOfTree(service.pid).cpuSeconds + usageOfTree(database.process.pid ?? 0).cpuSeconds;

/** Copies a waiting run that the service has written, so that the copies have the fields of this version. */
async function addWaitingRuns({ service, database }: System): Promise<void> {
  const owner = await register(service.url);
  const flowId = await createFlow(owner, await createWorkspace(owner), REST_OF_A_DAY);
  await startRun(owner, flowId);
  const runs = await StoredRuns.open(database.uri);
  const waiting = await waitFor('a waiting run in the statistics', () =>
    runs.collection.findOne({
      status: 'WAITING',
      worker: { $exists: false },
      uncounted: { $exists: false },
    }),
  );
  await runs.addCopies(waiting, RUNS);
  await runs.close();
}

import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { type Person, register } from '../../test/helpers/people.ts';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { loadRuns } from '../run-load.ts';
import {
  cleanUp,
  cleanUpOnSignals,
  productionEnvironment,
  startDatabase,
  startTarget,
} from '../setup.ts';
import { installPeers } from './install.ts';
import { RESTATE_DURABILITY, startRestate } from './restate.ts';
import { measureInTurn, ratioOf, type Side } from './sides.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/**
 * Runs of several kinds against Restate: `npm run bench:peers`, or `npm run bench:peers -- 8` for that number of
 * clients alone, or `npm run bench:peers -- fork` for the workloads with that word in their names. Ends with exit code
 * 1 when a figure is beyond its bound.
 */
const WARM_UP_CLIENTS = 16;
const WARM_UP_SECONDS = 4;
cleanUpOnSignals();
try {
  installPeers();
  await compare();
} finally {
  await cleanUp();
}

async function compare(): Promise<void> {
  const target = await startTarget();
  const restate = await startRestate(target.port);
  const theirs = { name: 'Restate', pids: restate.pids };
  const ours = await startOurs('ours', '', target.port);
  const waiting = await startOurs('ours, w=majority', '&w=majority', target.port);
  printLine(`ours: ${DURABILITY}`);
  printLine(
    'ours, w=majority: every write waits for an fsync of its commit, concurrent writes share one',
  );
  printLine(RESTATE_DURABILITY);
  const words = process.argv.slice(2).filter((word) => Number.isNaN(Number(word)));
  for (const workload of WORKLOADS) {
    if (words.length && !words.some((word) => workload.name.includes(word))) continue;
    printLine(workload.name);
    const startOf = ({ owner }: Ours) => workload.prepareOurs(owner, target.port);
    await compareRuns(workload, [
      { ...ours, startRun: await startOf(ours) },
      { ...theirs, startRun: () => workload.startTheirs(restate) },
      { ...waiting, startRun: await startOf(waiting) },
    ]);
  }
  target.stop();
  await restate.stop();
}

async function compareRuns({ figures }: Workload, sides: readonly Side[]): Promise<void> {
  const wanted = process.argv.slice(2).map(Number).filter(Boolean);
  for (const { startRun } of sides) await loadRuns(startRun, WARM_UP_CLIENTS, WARM_UP_SECONDS);
  for (const { clients, rate, cpu } of figures) {
    if (wanted.length && !wanted.includes(clients)) continue;
    const [ours = [], theirs = [], onDisk = []] = await measureInTurn(sides, clients);
    reportFigure(rate, ratioOf(ours, theirs, 'perSecond'));
    if (cpu) reportFigure(cpu, ratioOf(ours, theirs, 'cpuMs'));
    printLine(`  w=majority / Restate: ${ratioOf(onDisk, theirs, 'perSecond').toFixed(2)}`);
  }
}

type Ours = Omit<Side, 'startRun'> & { owner: Person };

/** Starts the service in one process, with a database of its own. */
async function startOurs(name: string, concern: string, targetPort: number): Promise<Ours> {
  const database: EmbeddedMongo = await startDatabase(name);
  const service: TestServer = await startServer({
    env: {
      ...productionEnvironment(`${database.uri}${concern}`),
      OUTBOUND_ALLOW: `127.0.0.1:${targetPort}`,
    },
  });
  return {
    name,
    pids: [service.pid, database.process.pid ?? 0],
    owner: await register(service.url),
  };
}

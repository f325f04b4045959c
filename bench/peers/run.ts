import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { register } from '../../test/helpers/people.ts';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { FIGURES, type Figure } from '../figures.ts';
import { EMBEDDED_DURABILITY, printLine, reportFigure } from '../report.ts';
import { loadRuns, prepareFlow, threeCallsAndSet } from '../run-load.ts';
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

/**
 * A run of three HTTP calls and a set, against Restate: `npm run bench:peers`, or `npm run bench:peers -- 8`
 * for that number of clients alone. Ends with exit code 1 when a figure is beyond its bound.
 */
const FIGURE_OF_CLIENTS = new Map<number, Figure>([
  [1, FIGURES.restate1],
  [8, FIGURES.restate8],
  [32, FIGURES.restate32],
]);
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
  const ours = await startOurs('ours', '', target.port);
  const waiting = await startOurs('ours, w=majority', '&w=majority', target.port);
  const sides: Side[] = [ours, { name: 'Restate', ...restate }, waiting];
  printLine(`ours: ${EMBEDDED_DURABILITY}`);
  printLine(
    'ours, w=majority: every write waits for an fsync of its commit, concurrent writes share one',
  );
  printLine(RESTATE_DURABILITY);
  for (const { startRun } of sides) await loadRuns(startRun, WARM_UP_CLIENTS, WARM_UP_SECONDS);
  const wanted = process.argv.slice(2).map(Number);
  for (const [clients, figure] of FIGURE_OF_CLIENTS) {
    if (wanted.length && !wanted.includes(clients)) continue;
    const [ours = [], theirs = [], onDisk = []] = await measureInTurn(sides, clients);
    reportFigure(figure, ratioOf(ours, theirs));
    printLine(`  w=majority / Restate: ${ratioOf(onDisk, theirs).toFixed(2)}`);
  }
  target.stop();
  await restate.stop();
}

/** Starts the service in one process, with a database of its own. */
async function startOurs(name: string, concern: string, targetPort: number): Promise<Side> {
  const database: EmbeddedMongo = await startDatabase(name);
  const service: TestServer = await startServer({
    env: {
      ...productionEnvironment(`${database.uri}${concern}`),
      OUTBOUND_ALLOW: `127.0.0.1:${targetPort}`,
    },
  });
  const startRun = await prepareFlow(await register(service.url), threeCallsAndSet(targetPort));
  return { name, pids: [service.pid, database.process.pid ?? 0], startRun };
}

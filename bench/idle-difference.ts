import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { startServer, type TestServer } from '../test/helpers/server.ts';
import type { Figure } from './figures.ts';
import { usageOfTree } from './process.ts';
import { printLine, reportFigure } from './report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from './setup.ts';

/** Milliseconds before the measurement, in which the database writes the inserts to its file and the service finds them. */
const SETTLE_MS = 8_000;
/** Seconds of the measurement. */
const SECONDS = 15;

/** A service with everything in one process, and its database. */
export interface System {
  service: TestServer;
  database: EmbeddedMongo;
}

/**
 * Measures the CPU time, in percent of a core, of an idle system that `fill` has filled and of an empty one, in the same
 * seconds. `content` says in words what the full system has.
 */
export async function measureIdleDifference(
  { figure, content }: { figure: Figure; content: string },
  fill: (system: System) => Promise<void>,
): Promise<void> {
  if (process.platform !== 'linux')
    return printLine(`idle with ${content}: measured on Linux only`);
  const [full, empty] = [await startSystem('full'), await startSystem('empty')];
  await fill(full);
  await sleep(SETTLE_MS);
  const before = [full, empty].map(cpuSecondsOf);
  await sleep(SECONDS * 1000);
  const [filled = Number.NaN, none = Number.NaN] = [full, empty].map(
    (system, n) => ((cpuSecondsOf(system) - (before[n] ?? Number.NaN)) / SECONDS) * 100,
  );
  printLine(
    `idle, all processes: ${filled.toFixed(1)} % of a core with ${content}, ${none.toFixed(1)} % with none`,
  );
  reportFigure(figure, filled - none);
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

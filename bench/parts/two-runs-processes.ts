import { availableParallelism } from 'node:os';
import { TestNats } from '../../test/helpers/nats.ts';
import { register } from '../../test/helpers/people.ts';
import { startProcess } from '../../test/helpers/process.ts';
import { untilReady } from '../../test/helpers/spread.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio } from '../load.ts';
import { EMBEDDED_DURABILITY, printLine, reportFigure } from '../report.ts';
import { loadRuns, prepareFlow, type StartRun, threeCallsAndSet } from '../run-load.ts';
import { productionEnvironment, startDatabase, startTarget, stopDatabase } from '../setup.ts';

const EVERYTHING_ELSE =
  'api,identity,workspaces,issues,connections,configurations,flows,workflows,dev-mode';
const CLIENTS = 32;
const ROUNDS = 5;
const SECONDS = 4;

/** Compares two `runs` processes with one: two systems side by side, loaded in turn. */
export async function measureTwoRunsProcesses(): Promise<void> {
  const target = await startTarget();
  const [one, two] = [await startSystem(1, target.port), await startSystem(2, target.port)];
  const measure = (startRun: StartRun) => async () =>
    (await loadRuns(startRun, CLIENTS, SECONDS)).perSecond;
  const found = await interleave(ROUNDS, {
    one: measure(one.startRun),
    two: measure(two.startRun),
  });
  printLine(
    `${CLIENTS} clients, ${availableParallelism()} cores: ${median(found.one).toFixed(0)} runs/s by one process, ` +
      `${median(found.two).toFixed(0)} by two; ${EMBEDDED_DURABILITY}`,
  );
  reportFigure(FIGURES.twoRunsProcesses, medianRatio(found.two, found.one));
  target.stop();
  for (const system of [one, two]) await system.stop();
}

/** Starts a system with the given number of `runs` processes, with NATS and a database of its own. */
async function startSystem(
  processes: number,
  targetPort: number,
): Promise<{ startRun: StartRun; stop(): Promise<void> }> {
  const nats = await TestNats.start();
  const database = await startDatabase(`runs-processes-${processes}`);
  const env = {
    ...productionEnvironment(database.uri),
    NATS_URL: nats.url,
    PUBLIC_URL: 'http://bench.test',
    OUTBOUND_ALLOW: `127.0.0.1:${targetPort}`,
  };
  const services = [EVERYTHING_ELSE, ...Array.from({ length: processes }, () => 'runs')];
  const parts = services.map((SERVICES) => startProcess({ ...env, SERVICES }));
  const [url = ''] = await Promise.all(parts.map(({ ready }) => ready));
  await untilReady(url);
  return {
    startRun: await prepareFlow(await register(url), threeCallsAndSet(targetPort)),
    async stop() {
      for (const part of parts) part.signal('SIGTERM');
      await Promise.all(parts.map(({ exited }) => exited));
      await stopDatabase(database);
      await nats.kill();
    },
  };
}

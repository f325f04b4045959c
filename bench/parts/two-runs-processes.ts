import { availableParallelism } from 'node:os';
import { register } from '../../test/helpers/people.ts';
import { servicesExcept } from '../../test/helpers/spread.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio } from '../load.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { loadRuns, prepareFlow, type StartRun, threeCallsAndSet } from '../run-load.ts';
import { startTarget } from '../setup.ts';
import { startSpreadSystem } from '../spread-system.ts';

const EVERYTHING_ELSE = servicesExcept('runs');
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
      `${median(found.two).toFixed(0)} by two; ${DURABILITY}`,
  );
  reportFigure(FIGURES.twoRunsProcesses, medianRatio(found.two, found.one));
  target.stop();
  for (const system of [one, two]) await system.stop();
}

/** Starts a system with the given number of `runs` processes, and a flow of it. */
async function startSystem(processes: number, targetPort: number) {
  const services = [EVERYTHING_ELSE, ...Array.from({ length: processes }, () => 'runs')];
  const system = await startSpreadSystem(`runs-processes-${processes}`, services, targetPort);
  const startRun = await prepareFlow(await register(system.url), threeCallsAndSet(targetPort));
  return { ...system, startRun };
}

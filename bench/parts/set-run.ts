import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { servicesExcept } from '../../test/helpers/spread.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import { loadRuns, ONE_SET, prepareFlow, type StartRun, threeCallsAndSet } from '../run-load.ts';
import { productionEnvironment, startDatabase, startTarget, stopDatabase } from '../setup.ts';
import { startSpreadSystem } from '../spread-system.ts';

/** Pairs of loads, of which the median counts. */
const ROUNDS = 7;
/** Seconds of one load. */
const SECONDS = 1.5;
/** The services of each process of the spread system. */
const SPREAD = ['api', servicesExcept('api', 'runs'), 'runs'];

/** Compares a run of one set, started and awaited by one client, with a run of three calls, and with itself over NATS. */
export async function measureSetRun(): Promise<void> {
  const target = await startTarget();
  const database = await startDatabase('set-run');
  const service = await startServer({
    env: {
      ...productionEnvironment(database.uri),
      OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
  const spread = await startSpreadSystem('set-run-spread', SPREAD, target.port);
  const [owner, ownerOverNats] = [await register(service.url), await register(spread.url)];
  const measure = (startRun: StartRun) => async () =>
    (await loadRuns(startRun, 1, SECONDS)).latencyMs;
  const sides = {
    set: measure(await prepareFlow(owner, ONE_SET)),
    calls: measure(await prepareFlow(owner, threeCallsAndSet(target.port))),
    overNats: measure(await prepareFlow(ownerOverNats, ONE_SET)),
  };
  for (const warmUp of Object.values(sides)) await warmUp();
  const found = await interleave(ROUNDS, sides);
  const ms = (times: readonly number[]) => `${median(times).toFixed(1)} ms`;
  printLine(
    `a run of one set ${ms(found.set)}, of three calls ${ms(found.calls)}, of one set over NATS ${ms(found.overNats)}`,
  );
  reportFigure(FIGURES.setRun, medianRatio(found.set, found.calls));
  reportFigure(FIGURES.setRunOverNats, medianRatio(found.overNats, found.set));
  target.stop();
  await spread.stop();
  await service.stop();
  await stopDatabase(database);
}

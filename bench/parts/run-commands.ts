import { setTimeout as sleep } from 'node:timers/promises';
import { register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { countingDatabase } from '../counters.ts';
import { WORKLOADS } from '../peers/workloads.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { loadRuns } from '../run-load.ts';
import { productionEnvironment, startDatabase, startTarget, stopDatabase } from '../setup.ts';

const WARM_UP_SECONDS = 4;
const SECONDS = 6;
/** Milliseconds after a run within which its background commands, such as statistics, are sent. */
const BACKGROUND_MS = 2_500;

/** Counts the database commands of runs of several kinds, background work included. */
export async function measureRunCommands(): Promise<void> {
  const target = await startTarget();
  const database = await startDatabase('run-commands');
  const counted = await countingDatabase(database.uri);
  const service = await startServer({
    env: {
      ...productionEnvironment(counted.uri),
      OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
  const owner = await register(service.url);
  const atRest = counted.commands();
  await sleep(BACKGROUND_MS);
  const perSecond = ((counted.commands() - atRest) * 1000) / BACKGROUND_MS;
  printLine(`${perSecond.toFixed(1)} commands/s without any run, which count; ${DURABILITY}`);
  for (const { name, prepareOurs, commands = [] } of WORKLOADS) {
    const startRun = await prepareOurs(owner, target.port);
    for (const [clients, figure] of commands) {
      await loadRuns(startRun, clients, WARM_UP_SECONDS);
      await sleep(BACKGROUND_MS);
      const before = counted.commands();
      const { completed, perSecond } = await loadRuns(startRun, clients, SECONDS);
      await sleep(BACKGROUND_MS);
      printLine(`${name}, ${clients} clients, through the counter: ${perSecond.toFixed(0)} runs/s`);
      reportFigure(figure, (counted.commands() - before) / completed);
    }
  }
  target.stop();
  await service.stop();
  counted.stop();
  await stopDatabase(database);
}

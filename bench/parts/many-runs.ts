import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import { createFlow, runToEnd } from '../../test/helpers/runs.ts';
import { startServer } from '../../test/helpers/server.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import type { StoredDocument } from '../document-copies.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';

/** Ended runs of the large workspace. */
const MANY = 1_000_000;
/** Ended runs of the small workspace. */
const FEW = 1_000;
/** Days over which the runs are spread. */
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Pairs of loads, of which the median counts. */
const ROUNDS = 7;
/** Reads of one load. */
const READS = 150;

/** Compares the reads of the statistics and of a page of recent runs between a workspace with many runs and another with few. */
export async function measureManyRuns(): Promise<void> {
  const database = await startDatabase('many-runs');
  const service = await startServer({ env: productionEnvironment(database.uri) });
  const owner = await register(service.url);
  const runs = await StoredRuns.open(database.uri);
  const few = await fillWorkspace(owner, runs, FEW);
  const begin = performance.now();
  const many = await fillWorkspace(owner, runs, MANY);
  printLine(`stored ${MANY} runs in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  for (const [path, figure] of [
    ['/flows/recent-runs', FIGURES.recentRunsOfMany],
    ['/flows/stats', FIGURES.statisticsOfMany],
  ] as const) {
    const found = await interleave(ROUNDS, {
      few: () => timeOf(owner, path, few),
      many: () => timeOf(owner, path, many),
    });
    printLine(
      `${path}: ${median(found.few).toFixed(2)} ms of ${FEW} runs, ${median(found.many).toFixed(2)} ms of ${MANY}`,
    );
    reportFigure(figure, medianRatio(found.many, found.few));
  }
  await runs.close();
  await service.stop();
  await stopDatabase(database);
}

/** Stores ended runs of the last `DAYS` days in a new workspace, with their rollups. Returns its id. */
async function fillWorkspace(owner: Person, runs: StoredRuns, count: number): Promise<number> {
  const workspaceId = await createWorkspace(owner);
  const flowId = await createFlow(owner, workspaceId, 'do:\n  - a: { set: { a: 1 } }\n');
  const { id } = await runToEnd(owner, flowId);
  const run = await waitFor('a run that is in the rollups', () =>
    runs.collection.findOne({
      _id: id,
      uncounted: { $exists: false },
      unposted: { $exists: false },
    }),
  );
  const last = Date.now() - 60_000;
  const timesOf = (n: number) => {
    const createdAt = new Date(last - Math.floor((n * DAYS * DAY_MS) / count));
    return { createdAt, startedAt: createdAt, completedAt: createdAt };
  };
  await runs.addCopies(run as StoredDocument, count - 1, timesOf);
  await runs.addRollups({ workspaceId, flowId, runs: count / DAYS, days: DAYS });
  return workspaceId;
}

/** Returns the mean milliseconds of a read. */
async function timeOf(owner: Person, path: string, workspaceId: number): Promise<number> {
  const begin = performance.now();
  for (let n = 0; n < READS; n++) {
    const { status } = await owner.call('GET', path, { query: { workspaceId } });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  }
  return (performance.now() - begin) / READS;
}

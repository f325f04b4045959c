import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, registerVerified } from '../../test/helpers/people.ts';
import { createFlow } from '../../test/helpers/runs.ts';
import { startServer } from '../../test/helpers/server.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { printLine, reportFigure } from '../report.ts';
import { startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';
import { SHORT_WAIT, waitingRunOf } from '../waiting-run.ts';

/** Runs that wait at the beginning, the due runs included. */
const WAITING_RUNS = 100_000;
/** Runs that are due in each second of the measurement. */
const DUE_A_SECOND = 50;
/** Seconds in which runs are due. */
const SECONDS = 20;
const DUE_RUNS = DUE_A_SECOND * SECONDS;
/** Milliseconds before the first run is due, in which the database writes the inserts to its file. */
const SETTLE_MS = 8_000;

/** Measures how late due runs end among many that wait. Their end is one set after the wait. */
export async function measureWaking(): Promise<void> {
  const database = await startDatabase('waking');
  const runs = await StoredRuns.open(database.uri);
  const env = { MONGODB_URI: database.uri, LOG_LEVEL: 'warn' };
  const service = await startServer({ env });
  const owner = await registerVerified(service.url);
  const flowId = await createFlow(owner, await createWorkspace(owner), SHORT_WAIT);
  const template = await waitingRunOf(owner, flowId, runs);
  const later = Date.now() + 3_600_000;
  await runs.addCopies(template, WAITING_RUNS - DUE_RUNS, (n) => ({ wakeAt: new Date(later + n) }));
  const first = Date.now() + SETTLE_MS;
  const dueAt = (n: number) => new Date(first + (n * 1_000) / DUE_A_SECOND);
  await runs.addCopies(template, DUE_RUNS, (n) => ({ wakeAt: dueAt(n), createdAt: dueAt(n) }));
  await sleep(SETTLE_MS + SECONDS * 1_000);
  const due = { createdAt: { $gte: dueAt(0) }, _id: { $gt: template._id } };
  await waitFor('the ends', async () => !(await runs.collection.findOne({ ...due, live: true })));
  const ended = await runs.collection.find(due).toArray();
  const late = ended.map(({ completedAt, createdAt }) => +completedAt - +createdAt);
  if (late.length !== DUE_RUNS || ended.some(({ status }) => status !== 'SUCCESS'))
    throw new Error(`${late.length} of ${DUE_RUNS} runs were due, or some of them failed`);
  printLine(
    `a due run ends after its time: p50 ${percentile(late, 0.5)} ms, p99 ${percentile(late, 0.99)} ms`,
  );
  reportFigure(FIGURES.waking, Math.max(...late), 0);
  await service.stop();
  await runs.close();
  await stopDatabase(database);
}

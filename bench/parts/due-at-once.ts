import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, registerVerified } from '../../test/helpers/people.ts';
import { createFlow } from '../../test/helpers/runs.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { printLine, reportFigure } from '../report.ts';
import { ONE_SET, prepareFlow } from '../run-load.ts';
import { startDatabase, stopDatabase } from '../setup.ts';
import { StoredRuns } from '../stored-runs.ts';
import { SHORT_WAIT, waitingRunOf } from '../waiting-run.ts';

const DUE_RUNS = 5_000;
/** Milliseconds before the runs are due, in which the database writes the inserts to its file. */
const SETTLE_MS = 8_000;
/** Milliseconds between two new runs. */
const PAUSE_MS = 50;

/** Measures how long new runs of a workspace take while thousands of its waits are due at the same moment. */
export async function measureDueAtOnce(): Promise<void> {
  const database = await startDatabase('due-at-once');
  const runs = await StoredRuns.open(database.uri);
  const env = { MONGODB_URI: database.uri, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
  const service = await startServer({ env });
  const owner = await registerVerified(service.url);
  const workspaceId = await createWorkspace(owner);
  const flowId = await createFlow(owner, workspaceId, SHORT_WAIT);
  const startRun = await prepareFlow(owner, ONE_SET, workspaceId);
  const template = await waitingRunOf(owner, flowId, runs);
  const dueAt = new Date(Date.now() + SETTLE_MS);
  await runs.addCopies(template, DUE_RUNS, () => ({ wakeAt: dueAt }));
  await sleep(dueAt.getTime() - Date.now());
  const due = { flowId, _id: { $gt: template._id } };
  const times: number[] = [];
  const began = performance.now();
  while (await runs.collection.findOne({ ...due, live: true })) {
    const begin = performance.now();
    await startRun();
    times.push(performance.now() - begin);
    await sleep(PAUSE_MS);
  }
  const tookMs = performance.now() - began;
  const failed = await runs.collection.countDocuments({ ...due, status: { $ne: 'SUCCESS' } });
  if (failed || times.length < 10) throw new Error(`${failed} runs failed, ${times.length} began`);
  printLine(
    `${DUE_RUNS} waits due at once end within ${(tookMs / 1_000).toFixed(1)} s; a new run beside them takes p50 ${percentile(times, 0.5).toFixed(0)} ms, of ${times.length}`,
  );
  reportFigure(FIGURES.dueAtOnce, Math.max(...times), 0);
  await service.stop();
  await runs.close();
  await stopDatabase(database);
}

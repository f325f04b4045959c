import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { runEnded } from '../../runs.diagnostics.ts';
import { RUN_TIMEOUT } from '../execution/run-errors.ts';
import { endUpdateOf } from './leased-run.ts';

/** Its worker ends a run at its deadline; so long after it, nobody did. */
const GRACE_MS = 5_000;
const MAX_RUNS = 100;

/**
 * Ends the runs whose deadline is over and that nobody works on: those that wait for a place which does
 * not become free, and those whose end could not be written. Returns their ids.
 */
export async function endOverdueRuns(): Promise<number[]> {
  const overdue = {
    live: true,
    deadlineAt: { $lt: new Date(Date.now() - GRACE_MS) },
    worker: { $exists: false },
  } as const;
  const found = await RunModel.find(overdue, { startedAt: 1, createdAt: 1 })
    .limit(MAX_RUNS)
    .lean<Pick<RunDocument, '_id' | 'startedAt' | 'createdAt'>[]>();
  const ended: number[] = [];
  for (const { _id, startedAt, createdAt } of found) {
    const now = new Date();
    const { modifiedCount } = await RunModel.updateOne(
      { _id, ...overdue },
      { ...endUpdateOf({ status: 'TIMED_OUT', error: RUN_TIMEOUT }, now), $inc: { fence: 1 } },
    );
    if (!modifiedCount) continue;
    const since = startedAt ?? createdAt;
    runEnded.publish({ status: 'TIMED_OUT', ms: now.getTime() - since.getTime() });
    ended.push(_id);
  }
  return ended;
}

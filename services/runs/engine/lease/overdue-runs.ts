import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import { FAILURE_FIELDS, type FailureFields } from '../../failure-issue.ts';
import { runEnded } from '../../runs.diagnostics.ts';
import { errorAt, RUN_TIMEOUT } from '../execution/run-errors.ts';
import { endUpdateOf, publishOutbox } from './leased-run.ts';

/**
 * Milliseconds after a run's deadline in which a worker may still claim and end the run. Then a sweep ends the
 * run.
 */
const GRACE_MS = 5_000;
/** The most runs that one call ends; the next call ends further runs. */
const MAX_RUNS = 100;
/** The database itself decides that a run is overdue. No index serves this condition. */
const OVERDUE_NOW = { $expr: { $lt: ['$deadlineAt', { $subtract: ['$$NOW', GRACE_MS] }] } };

const FIELDS = { fence: 1, startedAt: 1, createdAt: 1, openSteps: 1, ...FAILURE_FIELDS } as const;
type OverdueRun = FailureFields &
  Pick<RunDocument, 'fence' | 'startedAt' | 'createdAt' | 'openSteps'>;

/**
 * Ends runs whose deadline has passed and that no worker holds: no slot became free for them, or their end
 * could not be written. Returns their ids.
 */
export async function endOverdueRuns(): Promise<number[]> {
  const overdue = {
    live: true,
    deadlineAt: { $lt: new Date(databaseClock.now() - GRACE_MS) },
    worker: { $exists: false },
  } as const;
  const found = await RunModel.find(overdue, FIELDS).limit(MAX_RUNS).lean<OverdueRun[]>();
  const ended: number[] = [];
  for (const run of found) {
    const { _id, fence, startedAt, createdAt, openSteps } = run;
    const now = databaseClock.date();
    const error = errorAt(RUN_TIMEOUT, openSteps?.steps);
    const end = endUpdateOf({ status: 'TIMED_OUT', error }, now, run);
    const { modifiedCount } = await RunModel.updateOne(
      { _id, fence, ...overdue, ...OVERDUE_NOW },
      { ...end, $inc: { fence: 1 } },
    );
    if (!modifiedCount) continue;
    publishOutbox(_id, end);
    const since = startedAt ?? createdAt;
    runEnded.publish({ status: 'TIMED_OUT', ms: now.getTime() - since.getTime() });
    ended.push(_id);
  }
  return ended;
}

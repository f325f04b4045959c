import { Problem } from '../../contract/problem.ts';
import { RunModel } from '../../models/run.model.ts';
import { endOf } from './engine/lease/leased-run.ts';
import { getRun } from './find-run.ts';
import { runEnded } from './runs.diagnostics.ts';
import { RunEnded } from './runs.problems.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

export interface CancelNews {
  /** The run has ended, here and now. */
  ended: (runId: number) => void;
  /** Whoever works on the run shall stop. */
  wanted: (runId: number) => void;
}

const OPTIONS = { returnDocument: 'after', projection: SHOWN_FIELDS } as const;

/** Ends a run that nobody works on, or has its worker end it. */
export async function cancelRun(runId: number, news: CancelNews): Promise<ShownRun> {
  // Whether a worker holds it may change between the two tries; not often.
  for (;;) {
    const ended = await endUnheld(runId);
    if (ended) {
      runEnded.publish({ status: 'CANCELLED', ms: 0 });
      news.ended(runId);
      return ended;
    }
    const asked = await askHolder(runId);
    if (asked) {
      news.wanted(runId);
      return asked;
    }
    const run = await getRun(runId);
    if (!run.live) throw new Problem(RunEnded, `The run has ended: ${run.status}.`);
  }
}

function endUnheld(runId: number): Promise<ShownRun | null> {
  const { $set, $unset } = endOf({ status: 'CANCELLED' }, new Date());
  return RunModel.findOneAndUpdate(
    { _id: runId, live: true, worker: { $exists: false } },
    { $set, $unset, $inc: { fence: 1 } },
    OPTIONS,
  ).lean<ShownRun>();
}

function askHolder(runId: number): Promise<ShownRun | null> {
  return RunModel.findOneAndUpdate(
    { _id: runId, live: true, worker: { $exists: true } },
    { $set: { cancelRequestedAt: new Date() } },
    OPTIONS,
  ).lean<ShownRun>();
}

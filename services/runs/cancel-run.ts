import { Problem } from '../../contract/problem.ts';
import { RunModel } from '../../models/run.model.ts';
import { endUpdateOf } from './engine/lease/leased-run.ts';
import { getRun } from './find-run.ts';
import { runEnded } from './runs.diagnostics.ts';
import { RunEnded } from './runs.problems.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

export interface CancelListeners {
  /** Called when the cancel has ended the run, because no worker held it. */
  onEnded: (runId: number) => void;
  /** Called when the worker that holds the run has to end it. */
  onRequested: (runId: number) => void;
}

const OPTIONS = { returnDocument: 'after', projection: SHOWN_FIELDS } as const;

/** Ends a run that no worker holds; otherwise requests that its worker ends it. */
export async function cancelRun(runId: number, listeners: CancelListeners): Promise<ShownRun> {
  // A worker may claim the run or give it up between the two updates; then both are tried again.
  for (;;) {
    const ended = await endUnleasedRun(runId);
    if (ended) {
      runEnded.publish({ status: 'CANCELLED', ms: 0 });
      listeners.onEnded(runId);
      return ended;
    }
    const requested = await requestCancel(runId);
    if (requested) {
      listeners.onRequested(runId);
      return requested;
    }
    const run = await getRun(runId);
    if (!run.live) throw new Problem(RunEnded, `The run has ended: ${run.status}.`);
  }
}

function endUnleasedRun(runId: number): Promise<ShownRun | null> {
  const { $set, $unset } = endUpdateOf({ status: 'CANCELLED' }, new Date());
  return RunModel.findOneAndUpdate(
    { _id: runId, live: true, worker: { $exists: false } },
    { $set, $unset, $inc: { fence: 1 } },
    OPTIONS,
  ).lean<ShownRun>();
}

function requestCancel(runId: number): Promise<ShownRun | null> {
  return RunModel.findOneAndUpdate(
    { _id: runId, live: true, worker: { $exists: true } },
    { $set: { cancelRequestedAt: new Date() } },
    OPTIONS,
  ).lean<ShownRun>();
}

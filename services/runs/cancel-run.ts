import { Problem } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { outboxOf } from '../../mixins/changes/outbox.ts';
import { databaseClock } from '../../mixins/database/database-clock.ts';
import type { OutboxEntry } from '../../models/changed-document.ts';
import { RunModel } from '../../models/run.model.ts';
import { endUpdateOf } from './engine/lease/leased-run.ts';
import { getRun } from './find-run.ts';
import { runEnded } from './runs.diagnostics.ts';
import { runOutboxes } from './runs.outboxes.ts';
import { RunEnded } from './runs.problems.ts';
import { SHOWN_FIELDS, type ShownRun } from './show-run.ts';

export interface CancelListeners {
  /** Called when the cancel has ended the run, because no worker held it. */
  onEnded: (runId: number) => void;
  /** Called when the worker that holds the run has to end it. */
  onRequested: (runId: number) => void;
}

type CancelledRun = Pick<ShownRun, '_id' | 'workspaceId'>;

const OPTIONS = { returnDocument: 'after', projection: SHOWN_FIELDS } as const;

/**
 * Ends a run that no worker holds; otherwise requests that its worker ends it. A cancel after that request
 * changes nothing, and the audit log has no entry of such a cancel. Throws 409 for a run that has ended, unless the same
 * request has cancelled the run: its call may be repeated at another process.
 */
export async function cancelRun(
  { _id, workspaceId }: CancelledRun,
  change: ChangeContext,
  listeners: CancelListeners,
): Promise<ShownRun> {
  const at = databaseClock.date();
  const entries = outboxOf(change, { id: _id, workspaceId }, { at, changed: ['status'] });
  const { requestId } = change;
  const cancel = { at, requestId, entries };
  // A worker may claim the run or give it up between the two updates; then both updates are tried again.
  for (;;) {
    const ended = await endUnleasedRun(_id, cancel);
    if (ended) {
      runOutboxes.publish(_id, entries);
      runEnded.publish({ status: 'CANCELLED', ms: 0 });
      listeners.onEnded(_id);
      return ended;
    }
    const requested = await requestCancel(_id, cancel);
    if (requested) {
      runOutboxes.publish(_id, entries);
      listeners.onRequested(_id);
      return requested;
    }
    const run = await getRun(_id);
    const isRepeat = requestId !== null && run.cancelRequestId === requestId;
    if (run.status === 'CANCELLED' && isRepeat) return run;
    if (!run.live) throw new Problem(RunEnded, `The run has ended: ${run.status}.`);
    if (run.worker && run.cancelRequestedAt) return run;
  }
}

interface Cancel {
  at: Date;
  requestId: string | null;
  entries: readonly OutboxEntry[];
}

function endUnleasedRun(_id: number, cancel: Cancel): Promise<ShownRun | null> {
  const { at, entries } = cancel;
  const { $set, $unset, $bit } = endUpdateOf({ status: 'CANCELLED' }, at, null);
  return RunModel.findOneAndUpdate(
    { _id, live: true, worker: { $exists: false } },
    {
      $set: { ...$set, ...requestOf(cancel) },
      $unset,
      $bit,
      $inc: { fence: 1 },
      ...pushOf(entries),
    },
    OPTIONS,
  ).lean<ShownRun>();
}

function requestCancel(_id: number, cancel: Cancel): Promise<ShownRun | null> {
  const { at, entries } = cancel;
  return RunModel.findOneAndUpdate(
    { _id, live: true, worker: { $exists: true }, cancelRequestedAt: { $exists: false } },
    { $set: { cancelRequestedAt: at, ...requestOf(cancel) }, ...pushOf(entries) },
    OPTIONS,
  ).lean<ShownRun>();
}

const requestOf = ({ requestId }: Cancel) => (requestId ? { cancelRequestId: requestId } : {});

const pushOf = (entries: readonly OutboxEntry[]) => ({ $push: { outbox: { $each: entries } } });

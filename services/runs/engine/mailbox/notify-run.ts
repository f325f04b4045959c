/**
 * Notifications of runs: a notification raises the run's `wakeups`, in the write of its signal or after the end of its
 * child run is stored. A suspension names the count that the run has seen, and is refused by a higher count, so that no
 * notification is lost.
 */
import type { mongo } from 'mongoose';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';
import type { ReadyRun } from '../claims/ready-runs.ts';

/** A notification of a run, with the conditions and the change of its write. */
export interface Notification {
  runId: number;
  topic: string;
  /** Whether a worker probably holds the run; otherwise the run probably waits. */
  isHeld?: boolean;
  only?: mongo.Filter<RunDocument>;
  change?: Pick<mongo.UpdateFilter<RunDocument>, '$push'> & {
    $set?: Record<string, unknown>;
    $unset?: Record<string, 1>;
  };
}

/** A run that a notification has made ready, for the list of ready runs. */
export interface WokenRun {
  run: ReadyRun;
  /** The reads of the list before the write of the notification. */
  renewals: number;
}

export interface NotificationListeners {
  /** Called when the notification has made the run ready. */
  onReady: (runId: number, woken?: WokenRun) => void;
  /** Called when the notification has made the run wait for a permit of its flow. */
  onPermitRequested: (runId: number) => void;
  /** Called when a worker holds the run, or will claim it: the run may wait in that worker. */
  onNotified: (runId: number) => void;
}

/** The listeners of posts of signals, which tell of the run that they have woken. */
export interface PostListeners extends NotificationListeners {
  /** Counts the reads of the list of ready runs in this process. */
  renewals: () => number;
}

/**
 * Notifies a live run that fulfils the conditions, by one write. Makes the run ready where it waits for the topic, or
 * makes it wait for a permit where its flow has a limit. Returns null when there is no such run.
 */
export async function notifyRun(
  notification: Notification,
): Promise<keyof NotificationListeners | null> {
  const { runId, topic, isHeld = false, only = {}, change = {} } = notification;
  const { $set, $unset, ...others } = change;
  const live = { ...only, _id: runId, live: true } as const;
  const waits = { status: 'WAITING', wakeAt: { $exists: true }, awaits: topic } as const;
  const counted = { ...others, $inc: { wakeups: 1 } };
  const unset = { ...$unset, wakeAt: 1 };
  const set = $set ? { $set } : {};
  const note = () =>
    update({ ...live, $nor: [waits] }, { ...counted, ...set, ...($unset ? { $unset } : {}) });
  if (isHeld && (await note())) return 'onNotified';
  // A run that is suspended between the first two tries is missed by both.
  do {
    const woken = await update(
      { ...live, ...waits, concurrency: { $exists: false } },
      {
        ...counted,
        $set: { ...$set, ready: true },
        $currentDate: { readyAt: true },
        $unset: unset,
      },
    );
    if (woken) return 'onReady';
    if (await note()) return 'onNotified';
    const requested = await update(
      { ...live, ...waits, concurrency: { $exists: true } },
      { ...counted, ...set, $currentDate: { permitRequestedAt: true }, $unset: unset },
    );
    if (requested) return 'onPermitRequested';
  } while (await RunModel.collection.findOne(live as never, { projection: { _id: 1 } }));
  return null;
}

/** Updates by the driver: a signal's name may be a word that mongoose does not take in a path. */
async function update(
  filter: mongo.Filter<RunDocument>,
  change: Record<string, unknown>,
): Promise<boolean> {
  const { matchedCount } = await RunModel.collection.updateOne(filter as never, change as never);
  return matchedCount > 0;
}

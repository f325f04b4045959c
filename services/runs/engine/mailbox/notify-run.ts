/**
 * Notifications of runs: a notification raises the run's `wakeups`, in the write of its signal or after the end of its
 * child run is stored. A suspension names the count that the run has seen, and is refused by a higher count, so that no
 * notification is lost.
 */
import type { mongo } from 'mongoose';
import { type RunDocument, RunModel } from '../../../../models/run.model.ts';

/** A notification of a run, with the conditions and the change of its write. */
export interface Notification {
  runId: number;
  topic: string;
  /** Whether the run probably does not wait for the topic; otherwise it probably does. */
  isHeld?: boolean;
  /** Wakes a run that waits, by one of the writes; by default by `makeReady`. Resolves whether the run has waited. */
  wake?: (writes: WakingWrites) => Promise<boolean>;
  only?: mongo.Filter<RunDocument>;
  change?: Pick<mongo.UpdateFilter<RunDocument>, '$push'> & {
    $set?: Record<string, unknown>;
    $unset?: Record<string, 1>;
  };
}

/** The two writes that may wake a run that waits. */
export interface WakingWrites {
  /** Claims the run for the worker. Resolves with the run; null where it did not wait. */
  claim: (worker: string) => Promise<RunDocument | null>;
  /** Makes the run ready for any worker. Resolves whether it has waited. */
  makeReady: () => Promise<boolean>;
}

export interface NotificationListeners {
  /** Called when the notification has made the run ready, without a `wake` of its own. */
  onReady: (runId: number) => void;
  /** Called when the notification has made the run wait for a permit of its flow. */
  onPermitRequested: (runId: number) => void;
  /** Called when a worker holds the run, or will claim it: the run may wait in that worker. */
  onNotified: (runId: number) => void;
}

/**
 * Notifies a live run that fulfils the conditions, by one write. Wakes the run where it waits for the topic, or makes it
 * wait for a permit where its flow has a limit. Resolves whether there is such a run.
 */
export async function notifyRun(
  { runId, topic, isHeld = false, wake, only = {}, change = {} }: Notification,
  listeners: NotificationListeners,
): Promise<boolean> {
  const tell = (isDone: boolean, listener: keyof NotificationListeners) => {
    if (isDone) listeners[listener](runId);
    return isDone;
  };
  const { $set, $unset, ...others } = change;
  const live = { ...only, _id: runId, live: true } as const;
  const waits = { status: 'WAITING', wakeAt: { $exists: true }, awaits: topic } as const;
  const counted = { ...others, $inc: { wakeups: 1 } };
  const unset = { ...$unset, wakeAt: 1 };
  const set = $set ? { $set } : {};
  const note = () =>
    update({ ...live, $nor: [waits] }, { ...counted, ...set, ...($unset ? { $unset } : {}) });
  const unlimited = { ...live, ...waits, concurrency: { $exists: false } };
  const writes: WakingWrites = {
    claim: (worker) =>
      claim(unlimited, {
        ...others,
        $inc: { wakeups: 1, fence: 1 },
        $set: { ...$set, status: 'RUNNING', worker },
        $unset: { ...unset, suspended: 1 },
      }),
    makeReady: () =>
      update(unlimited, {
        ...counted,
        $set: { ...$set, ready: true },
        $currentDate: { readyAt: true },
        $unset: unset,
      }),
  };
  if (isHeld && tell(await note(), 'onNotified')) return true;
  // A run that is suspended between the first two tries is missed by both.
  do {
    if (wake ? await wake(writes) : tell(await writes.makeReady(), 'onReady')) return true;
    if (tell(await note(), 'onNotified')) return true;
    const requested = await update(
      { ...live, ...waits, concurrency: { $exists: true } },
      { ...counted, ...set, $currentDate: { permitRequestedAt: true }, $unset: unset },
    );
    if (tell(requested, 'onPermitRequested')) return true;
  } while (await RunModel.collection.findOne(live as never, { projection: { _id: 1 } }));
  return false;
}

/** Updates by the driver: a signal's name may be a word that mongoose does not take in a path. */
async function update(
  filter: mongo.Filter<RunDocument>,
  change: Record<string, unknown>,
): Promise<boolean> {
  const { matchedCount } = await RunModel.collection.updateOne(filter as never, change as never);
  return matchedCount > 0;
}

const claim = (
  filter: mongo.Filter<RunDocument>,
  change: Record<string, unknown>,
): Promise<RunDocument | null> =>
  RunModel.collection.findOneAndUpdate(filter as never, change as never, {
    returnDocument: 'after',
  }) as Promise<RunDocument | null>;

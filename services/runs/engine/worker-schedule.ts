import { IDLE_FACTOR } from '../../../support/activity.ts';
import { repeatWork } from '../../../support/periodic-work.ts';

/** Milliseconds between two beats of this worker, also while its process is idle: the other workers count them. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** Milliseconds between two looks at the other workers. A death, 5 s without a beat, is noticed within 6 s. */
const WATCH_INTERVAL_MS = 250;
/** Milliseconds between two looks while no other worker is known. A look then only finds new workers. */
const LONE_WATCH_INTERVAL_MS = 1_000;
/** Milliseconds between two checks whether this worker's own lease is stale. */
const STALE_CHECK_INTERVAL_MS = 250;
/** Milliseconds between two reads of requested cancels. A read finds a cancel whose event was lost. */
const CANCEL_POLL_INTERVAL_MS = 1_000;
/**
 * Milliseconds between two polls for ready and due runs. A poll finds the runs of lost events and of other
 * processes.
 */
const READY_POLL_INTERVAL_MS = 2_000;
/** Milliseconds between two reads of the notifications of runs in this worker. A read finds those of lost events. */
const NOTIFICATION_POLL_INTERVAL_MS = 1_000;
/** Milliseconds between two sweeps for runs that no worker executes or ends. */
const SWEEP_INTERVAL_MS = 5_000;

/** Milliseconds between two sweeps for flows with a free permit that nobody has offered. */
const PERMIT_SWEEP_INTERVAL_MS = 1_000;

/** Milliseconds between two sweeps for ended runs whose parent or child runs have not heard of the end. */
const FAMILY_SWEEP_INTERVAL_MS = 2_000;

type Work = () => Promise<unknown> | undefined;

/** The work that a worker repeats, each kind at an interval of its own. */
export interface ScheduledWork {
  beat: Work;
  watchWorkers: Work;
  /** Whether no other worker is known. */
  isAlone: () => boolean;
  cancelRequestedRuns: Work;
  pollReadyRuns: Work;
  pollNotifications: Work;
  sweepRuns: Work;
  sweepPermits: Work;
  sweepFamilies: Work;
  abandonStaleRuns: Work;
  onError: (error: unknown) => void;
}

/** Repeats the work of a worker. Returns a function that stops all of it. */
export function scheduleWork(work: ScheduledWork): () => void {
  const watchInterval = () => (work.isAlone() ? LONE_WATCH_INTERVAL_MS : WATCH_INTERVAL_MS);
  /** What a worker that is alone looks for, nobody else has left. */
  const idleFactor = () => (work.isAlone() ? IDLE_FACTOR : 1);
  const repeat = (ms: Parameters<typeof repeatWork>[0], kind: Work) =>
    repeatWork(ms, kind, work.onError, idleFactor);
  const stops = [
    repeatWork(HEARTBEAT_INTERVAL_MS, work.beat, work.onError),
    repeat(watchInterval, work.watchWorkers),
    repeat(CANCEL_POLL_INTERVAL_MS, work.cancelRequestedRuns),
    repeat(READY_POLL_INTERVAL_MS, work.pollReadyRuns),
    repeat(NOTIFICATION_POLL_INTERVAL_MS, work.pollNotifications),
    repeat(SWEEP_INTERVAL_MS, work.sweepRuns),
    repeat(PERMIT_SWEEP_INTERVAL_MS, work.sweepPermits),
    repeat(FAMILY_SWEEP_INTERVAL_MS, work.sweepFamilies),
    repeat(STALE_CHECK_INTERVAL_MS, work.abandonStaleRuns),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

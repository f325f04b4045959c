import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { callerOf } from '../../../mixins/changes/change-store.ts';
import { busy, DocumentQueue } from '../../../mixins/changes/document-queue.ts';
import { outboxOf } from '../../../mixins/changes/outbox.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type KeptSignal, type RunDocument, RunModel } from '../../../models/run.model.ts';
import {
  type NotificationListeners,
  notifyRun,
  type WakingWrites,
} from '../engine/mailbox/notify-run.ts';
import { signalTopic } from '../engine/mailbox/topics.ts';
import { runNotFound } from '../find-run.ts';
import { runOutboxes } from '../runs.outboxes.ts';
import { RunEnded, SignalsFull } from '../runs.problems.ts';
import type { ShownRun } from '../show-run.ts';
import { MAX_KEPT_SIGNALS, MAX_POSTED_IDS, MAX_SIGNAL_BYTES } from './signal-limits.ts';

export interface PostedSignal {
  name: string;
  /** The body; undefined for none. */
  value?: unknown;
}

type SignalledRun = Pick<RunDocument, keyof typeof FIELDS>;
const FIELDS = {
  live: 1,
  status: 1,
  wakeups: 1,
  signals: 1,
  consumedSignals: 1,
  postedSignals: 1,
  awaits: 1,
  wakeAt: 1,
} as const;

/** What a process does for its posts. */
export interface PostListeners extends NotificationListeners {
  /** Wakes a run that waits, by one of the writes. Resolves whether the run has waited. */
  wake: (run: ShownRun, writes: WakingWrites) => Promise<boolean>;
}

/** The tries of a post whose write meets those of other processes, a few milliseconds apart. Then the answer is 503. */
const MAX_ATTEMPTS = 50;

/** The posts of this process. Posts to one run follow one another, so that their writes do not refuse one another. */
export class SignalPosts {
  readonly #queue = new DocumentQueue();

  /** Posts a signal as `postSignal` does. Throws 503 `BUSY` as well, where too many posts to the run wait. */
  post(
    run: ShownRun,
    signal: PostedSignal,
    change: ChangeContext,
    listeners: PostListeners,
  ): Promise<null> {
    return this.#queue.run(run._id, callerOf(change), () =>
      postSignal(run, signal, change, listeners),
    );
  }
}

/**
 * Keeps a signal for the run, in place of an earlier one of its name, and wakes a run that listens to it. A signal that
 * wakes the run needs no room. The id of an `Idempotency-Key` is the signal's: a repeated request does not send the
 * signal again, also after the run's end. `found` is the run as the access check has read it.
 */
export async function postSignal(
  found: ShownRun,
  { name, value = null }: PostedSignal,
  change: ChangeContext,
  listeners: PostListeners,
): Promise<null> {
  const { _id: runId, workspaceId } = found;
  const signal = {
    id: change.reservedId ?? (await nextId('signals')),
    json: JSON.stringify(value),
    postedAt: databaseClock.date(),
  };
  const outbox = outboxOf(change, { id: runId, workspaceId }, { at: new Date(), changed: [] });
  // Another notification may come between the read and the write; then both are tried again.
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // The write fails where a notification has come since the run was read.
    const run = (attempt === 1 && unsignalled(found)) || (await readSignalled(runId));
    if (isPosted(run, name, signal.id)) return null;
    if (!run.live) throw new Problem(RunEnded, `The run has ended: ${run.status}.`);
    const unread = unreadSignals(run).filter(([other]) => other !== name);
    const isWaking = wakes(run, name);
    if (!isWaking) assertFits(unread, signal);
    const notification = {
      runId,
      topic: signalTopic(name),
      isHeld: !isWaking,
      ...(found.concurrency === undefined
        ? { wake: (writes: WakingWrites) => listeners.wake(found, writes) }
        : {}),
      only: {
        wakeups: run.wakeups ?? { $exists: false },
        ...(isWaking ? { wakeAt: { $exists: true } } : {}), // the time of the wait may come between read and write
      },
      change: {
        $set: { [`signals.${name}`]: signal },
        $unset: receivedRemovals(run, [name, ...unread.map(([other]) => other)]),
        $push: { outbox: { $each: outbox }, ...postedId(change) },
      },
    };
    if (await notifyRun(notification, listeners)) {
      runOutboxes.publish(runId, outbox);
      return null;
    }
    await sleep(Math.random() * attempt * 2);
  }
  throw busy('Too many signals are posted to this run at the moment.');
}

/** The run as it was read, without its signals, where it has had none; null otherwise. */
const unsignalled = (run: ShownRun): SignalledRun | null =>
  run.live && run.wakeups === undefined ? run : null;

async function readSignalled(runId: number): Promise<SignalledRun> {
  const run = await RunModel.findById(runId, FIELDS).lean<SignalledRun>();
  if (!run) throw runNotFound(runId);
  return run;
}

/** Whether an earlier attempt of the request has posted the signal. */
const isPosted = (
  { signals = {}, consumedSignals = {}, postedSignals = [] }: SignalledRun,
  name: string,
  id: number,
) =>
  postedSignals.includes(id) ||
  (Object.hasOwn(signals, name) && signals[name]?.id === id) ||
  (Object.hasOwn(consumedSignals, name) && consumedSignals[name] === id);

/** The addition to the posted ids. Only a request with an `Idempotency-Key` can be repeated with its id. */
const postedId = ({ reservedId }: ChangeContext) =>
  reservedId === undefined
    ? {}
    : { postedSignals: { $each: [reservedId], $slice: -MAX_POSTED_IDS } };

/** Whether the signal wakes the run. A run that another signal has woken keeps `awaits` and has no `wakeAt`. */
const wakes = ({ status, wakeAt, awaits }: SignalledRun, name: string): boolean =>
  status === 'WAITING' && wakeAt !== undefined && Boolean(awaits?.includes(signalTopic(name)));

/** Lists the signals that the run keeps and has not received. */
const unreadSignals = ({ signals = {}, consumedSignals = {} }: SignalledRun) =>
  Object.entries(signals).filter(
    ([name, { id }]) => !Object.hasOwn(consumedSignals, name) || consumedSignals[name] !== id,
  );

/** Makes the update that removes the received signals: all signals but those with the kept names. */
const receivedRemovals = (
  { signals = {} }: SignalledRun,
  kept: readonly string[],
): Record<string, 1> =>
  Object.fromEntries(
    Object.keys(signals)
      .filter((name) => !kept.includes(name))
      .map((name) => [`signals.${name}`, 1]),
  );

function assertFits(others: readonly [string, KeptSignal][], signal: KeptSignal): void {
  const all = [signal, ...others.map(([, other]) => other)];
  const bytes = all.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
  if (all.length <= MAX_KEPT_SIGNALS && bytes <= MAX_SIGNAL_BYTES) return;
  throw new Problem(
    SignalsFull,
    `A run keeps at most ${MAX_KEPT_SIGNALS} signals with ${MAX_SIGNAL_BYTES} bytes together that it has not received.`,
  );
}

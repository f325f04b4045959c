import type { Frame } from './frame.ts';
import type { Note } from './host.ts';
import type { Run } from './run.ts';
import { DeadlinePassedError, Suspension } from './unwind.ts';

/** One pause of a task: a wait, or the delay before a retry. `key` is unique in the run. */
export interface Pause {
  run: Run;
  frame: Frame;
  key: string;
  durationMs: number;
  /** Called with the end of the pause when the pause is over, before the run's time is set to that end. */
  meanwhile?: (untilMs: number) => Promise<unknown>;
}

/**
 * Advances the run's time by the duration, or up to the nearest deadline and throws `DeadlinePassedError`. The duration
 * starts when the run first reaches the pause, by the host's clock, because earlier computations took time as well.
 * That time is journalled, together with the suspension if there is one.
 */
export async function pause({ run, frame, key, durationMs, meanwhile }: Pause): Promise<void> {
  if (durationMs > 0) await reach(run, frame, key, durationMs);
  const { nearest } = frame.deadline;
  const wanted = run.now + durationMs;
  const until = Math.min(wanted, nearest.at);
  // During a replay the journal has later entries: the pause is over, even if this machine's clock is behind.
  const passed = run.host.replaying() || run.host.now() >= until;
  if (until > run.now && !passed) throw new Suspension(until);
  await meanwhile?.(until);
  run.now = Math.max(run.now, until);
  if (wanted > nearest.at) throw new DeadlinePassedError(nearest);
}

/** Sets the run's time to the time at which the run first reached the pause. */
async function reach(run: Run, frame: Frame, pauseKey: string, durationMs: number): Promise<void> {
  const key = `${pauseKey}#reached`;
  const known = run.recallEntry(key);
  if (known) {
    run.now = Math.max(run.now, known.completedAt);
    return;
  }
  const completedAt = Math.max(run.now, run.host.now());
  const note: Note = { key, performed: { kind: 'succeeded', value: null, completedAt } };
  const until = Math.min(completedAt + durationMs, frame.deadline.nearest.at);
  if (until > completedAt) throw new Suspension(until, note);
  await run.note(note);
  run.now = completedAt;
}

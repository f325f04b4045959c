import type { Frame } from './frame.ts';
import type { Note } from './host.ts';
import type { Run } from './run.ts';
import { DeadlinePassed, Suspension } from './unwind.ts';

/** The pauses of one execution of a task, by the key under which the journal knows each. */
export interface Pause {
  run: Run;
  frame: Frame;
  key: string;
  durationMs: number;
  /** Told the moment once it has come, before the run's time is set to it. */
  meanwhile?: (untilMs: number) => Promise<unknown>;
}

/**
 * Lets the run's time go on by a duration, or to the nearest deadline, which it then passes. It counts
 * from when it is first reached, by the host's clock, because what was computed before took time as
 * well; the moment is journalled, together with the suspension where there is one.
 */
export async function pause({ run, frame, key, durationMs, meanwhile }: Pause): Promise<void> {
  if (durationMs > 0) await reach(run, frame, key, durationMs);
  const { nearest } = frame.deadline;
  const wanted = run.now + durationMs;
  const until = Math.min(wanted, nearest.at);
  // What lies behind in the journal has passed, whatever the clock of this machine says.
  const passed = run.host.replaying() || run.host.now() >= until;
  if (until > run.now && !passed) throw new Suspension(until);
  await meanwhile?.(until);
  run.now = Math.max(run.now, until);
  if (wanted > nearest.at) throw new DeadlinePassed(nearest);
}

/** Sets the run's time to when the pause was reached first. */
async function reach(run: Run, frame: Frame, pauseKey: string, durationMs: number): Promise<void> {
  const key = `${pauseKey}#reached`;
  const known = run.recallNoted(key);
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

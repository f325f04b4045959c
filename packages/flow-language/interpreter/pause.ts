import type { Branch } from './branch.ts';
import type { Frame } from './frame.ts';
import type { Performed } from './host.ts';
import { DeadlinePassedError } from './unwind.ts';

/** One pause of a task: a wait, or the delay before a retry. `key` is unique in the run. */
export interface Pause {
  branch: Branch;
  frame: Frame;
  key: string;
  durationMs: number;
}

/**
 * Milliseconds of a short pause, which begins again after a crash. The beginning of a longer pause, or of a pause that
 * the run may be suspended for, is journalled, so that the pause ends at its time after any number of crashes.
 */
const SHORT_MS = 1_000;

/**
 * Waits for the duration, or up to the nearest deadline and throws `DeadlinePassedError`. Returns the end in the run's
 * time. The duration starts when the branch first reaches the pause, by the host's clock, because earlier computations
 * took time as well. The end is journalled.
 */
export async function pause(paused: Pause): Promise<number> {
  const { branch, frame, key, durationMs } = paused;
  const { nearest } = frame.deadline;
  const reachedAt = branch.recall(`${key}#reached`)?.completedAt;
  const end = branch.recall(key) ?? (await waitForEnd(paused, reachedAt));
  const endedAt = Math.max(branch.now, reachedAt ?? 0, end.completedAt);
  // The end that older versions journalled does not tell whether the deadline cut the pause.
  const isCut = reachedAt !== undefined && reachedAt + durationMs > nearest.at;
  if (!isCut && end.kind !== 'timed-out') return endedAt;
  branch.now = endedAt;
  throw new DeadlinePassedError(nearest);
}

async function waitForEnd(
  { branch, frame, key, durationMs }: Pause,
  reachedAt: number | undefined,
): Promise<Performed> {
  const { nearest } = frame.deadline;
  const began = Math.max(branch.now, reachedAt ?? (durationMs > 0 ? branch.host.now() : 0));
  const wanted = began + durationMs;
  const until = Math.min(wanted, nearest.at);
  const isShort = until - began <= SHORT_MS && branch.host.maySleep(until);
  if (reachedAt === undefined && until > began && !isShort) {
    const reached = { kind: 'succeeded', value: null, completedAt: began } as const;
    await branch.note({ key: `${key}#reached`, performed: reached });
  }
  // During a replay the journal has later entries: the pause is over, even if the host's clock is behind.
  while (branch.host.now() < until && !branch.isReplaying) await branch.park(until);
  const completedAt = Math.max(began, until);
  const performed: Performed =
    wanted > nearest.at
      ? { kind: 'timed-out', completedAt }
      : { kind: 'succeeded', value: null, completedAt };
  await branch.note({ key, performed });
  return performed;
}

import type { Frame } from './frame.ts';
import type { Run } from './run.ts';
import { DeadlinePassed, Suspension } from './unwind.ts';

/**
 * Lets the run's time go on by `durationMs`, or to the nearest deadline, which it then passes.
 * Suspends the run as long as that lies ahead on the host's clock. `meanwhile` is told the moment
 * once it has come, before the run's time is set to it.
 */
export async function pause(
  run: Run,
  frame: Frame,
  durationMs: number,
  meanwhile: (untilMs: number) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { nearest } = frame.deadline;
  const wanted = run.now + durationMs;
  const until = Math.min(wanted, nearest.at);
  if (until > run.now && run.host.now() < until) throw new Suspension(until);
  await meanwhile(until);
  run.now = Math.max(run.now, until);
  if (wanted > nearest.at) throw new DeadlinePassed(nearest);
}

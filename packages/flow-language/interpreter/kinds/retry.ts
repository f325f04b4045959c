/** The retries of `try`: their conditions, delays and limits. */
import type { RetryPolicy, TryTask } from '../../plan.ts';
import { seededRandom } from '../../sandbox/random.ts';
import { type Execution, markStablePoint } from '../execution.ts';
import type { Frame } from '../frame.ts';
import { pause } from '../pause.ts';
import { beginList, type TryState } from '../state.ts';

/** The longest delay before a retry, in milliseconds. A longer backoff or jitter is cut to this delay. */
const LONGEST_DELAY_MS = 30 * 24 * 3600 * 1000;

/**
 * Waits until the next attempt is due and restores the state of the first attempt: visits, `$context` and the `$steps`
 * of the tasks within, so that a retry has the same visits as the first attempt. Returns false when no attempt is left.
 */
export async function prepareRetry(
  execution: Execution<TryTask>,
  attempts: TryState,
  frame: Frame,
): Promise<boolean> {
  const { branch, task, position, frame: outer, evaluation } = execution;
  const policy = task.catch.retry;
  const n = attempts.retries + 1;
  if (!policy || n > policy.maxRetries || !(await applies(execution, policy, frame))) return false;
  const delayMs = delayOf(policy, n, evaluation.nextSeed());
  const key = `${position.key}#retry${n}`;
  // A pause begins by the clock itself.
  if (delayMs === 0 && limitsDuration(task)) await branch.advanceToClock(key, 0);
  const passedMs = branch.now + delayMs - attempts.startedAt;
  if (passedMs > (policy.totalDurationMs ?? Infinity)) return false;
  const at =
    delayMs > 0 ? await pause({ branch, frame: outer, key, durationMs: delayMs }) : branch.now;
  // From here on there is no pause, so that a checkpoint has either all of this or nothing.
  branch.now = at;
  branch.usage.countRound();
  attempts.retries = n;
  restore(execution, attempts);
  branch.host.consume(key);
  markStablePoint(execution);
  return true;
}

async function applies(
  { evaluation, input }: Execution,
  { when, exceptWhen }: RetryPolicy,
  frame: Frame,
): Promise<boolean> {
  if (when && !(await evaluation.truth(when, input, frame))) return false;
  return !(exceptWhen && (await evaluation.truth(exceptWhen, input, frame)));
}

function restore({ branch, task, input }: Execution<TryTask>, attempts: TryState): void {
  branch.run.counters.takeBack(attempts.visits);
  for (const [name] of attempts.steps) branch.setStep(name, undefined);
  branch.restoreContext(attempts.context, attempts.exported);
  for (const [name, output] of attempts.steps) branch.setStep(name, output);
  attempts.attemptDeadlineAt = attemptDeadlineOf(branch.now, task);
  attempts.list = beginList(input);
}

/** Whether a duration limits the attempts of a `try`. */
export const limitsDuration = ({ catch: { retry } }: TryTask): boolean =>
  retry?.attemptDurationMs !== undefined || retry?.totalDurationMs !== undefined;

/** The end of the own time of an attempt that begins now, in the run's time; null where it has none. */
export function attemptDeadlineOf(now: number, { catch: { retry } }: TryTask): number | null {
  const limitMs = retry?.attemptDurationMs;
  return limitMs === undefined ? null : now + limitMs;
}

/** The delay in milliseconds before the `n`th retry, counted from 1. */
export function delayOf(
  { delayMs, backoff, jitter }: RetryPolicy,
  n: number,
  seed: string,
): number {
  const factor = { constant: 1, linear: n, exponential: 2 ** Math.min(n - 1, 50) }[backoff];
  const { fromMs, toMs } = jitter ?? { fromMs: 0, toMs: 0 };
  const added = fromMs + Math.floor(seededRandom(seed)() * (toMs - fromMs + 1));
  return Math.min(delayMs * factor + added, LONGEST_DELAY_MS);
}

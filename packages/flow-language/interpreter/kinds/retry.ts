import type { RetryPolicy, TryTask } from '../../plan.ts';
import { seededRandom } from '../../sandbox/random.ts';
import type { Execution } from '../execution.ts';
import type { Frame } from '../frame.ts';
import type { JsonText } from '../json-text.ts';
import { namesWithin } from '../names.ts';
import { pause } from '../pause.ts';

/** The longest delay before a retry, in milliseconds. Backoff and jitter never exceed it. */
const LONGEST_DELAY_MS = 30 * 24 * 3600 * 1000;

/**
 * The retries of one `try`. Each retry starts from the state of the first attempt: visits, `$context` and the `$steps`
 * of its own tasks are restored, so that a retry has the same visits as the first attempt.
 */
export class Retries {
  readonly #execution: Execution<TryTask>;
  readonly #policy: RetryPolicy | undefined;
  readonly #startedAt: number;
  readonly #visits: number;
  readonly #context: JsonText;
  readonly #steps: readonly (readonly [string, JsonText | undefined])[];
  #made = 0;

  constructor(execution: Execution<TryTask>) {
    const { run, task } = execution;
    this.#execution = execution;
    this.#policy = task.catch.retry;
    this.#startedAt = run.now;
    this.#visits = this.#policy ? run.counters.beginTry() : 0;
    this.#context = run.context;
    this.#steps = this.#policy
      ? namesWithin(task.tasks).map((name) => [name, run.steps[name]])
      : [];
    for (const text of this.#texts()) run.held.hold(text);
  }

  /** Waits until the next attempt is due and restores the state for it. Returns false when no attempt is left. */
  async prepareNext(frame: Frame): Promise<boolean> {
    const { run } = this.#execution;
    const policy = this.#policy;
    if (!policy || this.#made >= policy.maxRetries || !(await this.#applies(policy, frame))) {
      return false;
    }
    const delayMs = delayOf(policy, this.#made + 1, this.#execution.evaluation.nextSeed());
    if (run.now + delayMs - this.#startedAt > (policy.totalDurationMs ?? Infinity)) return false;
    run.usage.countRound();
    this.#made += 1;
    const { frame: outer, position } = this.#execution;
    const key = `${position.key}#retry${this.#made}`;
    await pause({ run, frame: outer, key, durationMs: delayMs });
    this.#takeBack();
    return true;
  }

  end(): void {
    const { counters, held } = this.#execution.run;
    if (this.#policy) counters.endTry();
    for (const text of this.#texts()) held.release(text);
  }

  #texts(): (JsonText | undefined)[] {
    return [this.#context, ...this.#steps.map(([, text]) => text)];
  }

  async #applies({ when, exceptWhen }: RetryPolicy, frame: Frame): Promise<boolean> {
    const { evaluation, input } = this.#execution;
    if (when && !(await evaluation.truth(when, input, frame))) return false;
    return !(exceptWhen && (await evaluation.truth(exceptWhen, input, frame)));
  }

  #takeBack(): void {
    const { run } = this.#execution;
    run.counters.takeBack(this.#visits);
    run.setContext(this.#context);
    for (const [name, output] of this.#steps) run.setStep(name, output);
  }
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

import type { Evaluator, Scope } from '../../interpreter/host.ts';
import { EvaluationError } from '../../sandbox/errors.ts';
import { evaluator, pick } from './test-host.ts';

/**
 * A machine that is slow now and then: some expressions meet their limit the first time and not the
 * second, and what is repeated may meet it once for no reason.
 */
export class FlakyEvaluator implements Evaluator {
  readonly #evaluated: Set<string>;
  readonly #failedAgain = new Set<string>();

  /** `evaluated` has the seeds of what was evaluated before this process came up. */
  constructor(evaluated: Iterable<string> = []) {
    this.#evaluated = new Set(evaluated);
  }

  evaluate(request: Parameters<Evaluator['evaluate']>[0]) {
    this.#meetLimits(request);
    return evaluator.evaluate(request);
  }

  test(request: Parameters<Evaluator['test']>[0]) {
    this.#meetLimits(request);
    return evaluator.test(request);
  }

  #meetLimits({ seed, repeated }: Scope): void {
    const first = !this.#evaluated.has(seed);
    this.#evaluated.add(seed);
    if (repeated ? this.#failsAgain(seed) : first && pick(`limit ${seed}`, 4) === 0) {
      throw new EvaluationError('EXPRESSION_TIMEOUT', 'it took too long');
    }
  }

  #failsAgain(seed: string): boolean {
    if (this.#failedAgain.has(seed)) return false;
    this.#failedAgain.add(seed);
    return pick(`again ${seed}`, 8) === 0;
  }
}

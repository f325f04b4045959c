/** Evaluates the expressions of one task: passes the variables in and turns failures into errors of the flow. */
import type { Expression, Json, Template } from '../plan.ts';
import { EvaluationError, SandboxUnavailable } from '../sandbox/errors.ts';
import type { Branch } from './branch.ts';
import type { Frame } from './frame.ts';
import type { Scope, Value } from './host.ts';
import { literalOf } from './literal.ts';
import { keyOfFirstAttempt } from './position.ts';
import { type FlowError, flowError } from './problem.ts';

/** The codes of failures that depend on the load of the machine: a second evaluation may succeed. */
const LOAD_DEPENDENT_CODES = new Set<EvaluationError['code']>([
  'EXPRESSION_TIMEOUT',
  'EXPRESSION_OUT_OF_MEMORY',
]);

export class Evaluation {
  readonly #branch: Branch;
  readonly #key: string;
  #counter: number;

  /**
   * `key` is the key of the task's position, or empty for the flow's own `input.from` and `output.as`. `counter` is
   * the number of evaluations that are not repeated.
   */
  constructor(branch: Branch, key: string, counter = 0) {
    this.#branch = branch;
    this.#key = key;
    this.#counter = counter;
  }

  /** The number of evaluations so far. */
  get counter(): number {
    return this.#counter;
  }

  async value(template: Template, input: Value, frame: Frame): Promise<Value> {
    const literal = literalOf(template);
    if (literal !== null) return literal.value;
    const scope = this.#scope(input, frame);
    const { evaluator } = this.#branch.host;
    return this.#do((repeated) => evaluator.evaluate({ template, ...scope, repeated }));
  }

  /** The truth of an expression, in the sense of `$boolean`. */
  async truth(expression: Expression, input: Value, frame: Frame): Promise<boolean> {
    const scope = this.#scope(input, frame);
    const { evaluator } = this.#branch.host;
    return this.#do((repeated) => evaluator.test({ expression, ...scope, repeated }));
  }

  /**
   * Returns a new seed: each expression of the run has another seed, and each replay the same seeds. Every attempt of a
   * visit has the seeds of the first: a call that a retry repeats sends the same body under the same `Idempotency-Key`.
   */
  nextSeed(): string {
    this.#counter += 1;
    return `${this.#branch.host.seed} ${keyOfFirstAttempt(this.#key)} ${this.#counter}`;
  }

  #scope(input: Value, frame: Frame): Scope {
    const { context, steps, now } = this.#branch;
    const { host, input: given, properties } = this.#branch.run;
    const run: Json = { ...host.run };
    const variables = Object.assign(Object.create(null), frame.variables, {
      input: given,
      context,
      steps,
      run,
      properties,
    });
    return { input, variables, now, seed: this.nextSeed() };
  }

  async #do<T>(evaluate: (repeated: boolean) => Promise<T>): Promise<T> {
    const key = `${this.#key}#${this.#counter}`;
    this.#branch.throwNotedFailure(key);
    const repeated = this.#branch.isReplaying;
    try {
      return await this.#branch.awaitUnlessAborted(evaluate(repeated));
    } catch (thrown) {
      if (!(thrown instanceof EvaluationError)) throw thrown;
      if (LOAD_DEPENDENT_CODES.has(thrown.code)) return this.#failByLoad(key, thrown, repeated);
      throw errorOf(thrown);
    }
  }

  /**
   * Journals the failure before the flow acts on it. In a replay the same expression succeeded before, so the flow
   * must not see the failure: the whole run is tried again later.
   */
  async #failByLoad(key: string, thrown: EvaluationError, repeated: boolean): Promise<never> {
    if (repeated) throw new SandboxUnavailable(`a repeated expression failed: ${thrown.message}`);
    return this.#branch.noteFailure(key, errorOf(thrown));
  }
}

function errorOf({ code, message }: EvaluationError): FlowError {
  return flowError(code === 'OUTPUT_TOO_LARGE' ? 'runtime' : 'expression', code, message);
}

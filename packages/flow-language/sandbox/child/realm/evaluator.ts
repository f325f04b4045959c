/**
 * The evaluator's interface for the child. Only strings enter and leave a realm, so that no expression can reach an
 * object of the child or of another realm.
 */
import { installJsonParse } from '../../../json-parse.ts';
import type { Expression } from '../../../plan.ts';
import type { Evaluation, EvaluationResult } from '../../protocol.ts';
import { isTrue, run } from './expressions.ts';
import { faultOf } from './fault.ts';
import { freezeIntrinsics } from './freeze.ts';
import { render } from './render.ts';
import { enterWorld, replaceWorld } from './world.ts';

/** The phase of an evaluation. It is `paused` before the first expression and between two expressions of a template. */
export type Phase = 'running' | 'paused' | 'ended';

export interface Evaluator {
  /** Reads an `Evaluation`, given as JSON, and pauses. */
  begin(job: string): void;
  phase(): Phase;
  resume(): void;
  /** The `EvaluationResult` as JSON. */
  result(): string;
}

/** Makes the evaluator of a realm. It is called once in each realm, because it replaces and freezes the globals. */
export function createEvaluator(): Evaluator {
  installJsonParse();
  replaceWorld();
  freezeIntrinsics();
  let execution: Execution | undefined;
  return Object.freeze({
    begin(job: string) {
      execution = new Execution(JSON.parse(job));
    },
    phase: () => execution?.phase ?? 'ended',
    resume: () => execution?.resume(),
    result() {
      const { result = '' } = execution ?? {};
      execution = undefined;
      return result;
    },
  });
}

class Execution {
  phase: Phase = 'paused';
  result = '';
  #resume: () => void;
  #begun = false;

  constructor(evaluation: Evaluation) {
    this.#resume = () => {
      this.#perform(evaluation)
        .catch(failureOf)
        .then((result) => this.#end(result));
    };
  }

  resume(): void {
    this.phase = 'running';
    this.#resume();
  }

  async #perform(job: Evaluation): Promise<EvaluationResult> {
    enterWorld(job.now, job.seed);
    const runOne = (expression: Expression) => this.#run(job, expression);
    if (job.kind === 'test') return { kind: 'truth', truth: isTrue(await runOne(job.expression)) };
    const value = await render(job.template, runOne);
    return value === undefined ? { kind: 'value' } : { kind: 'value', value };
  }

  async #run(job: Evaluation, expression: Expression): Promise<unknown> {
    if (this.#begun) await this.#pause();
    this.#begun = true;
    return run(expression, job.input, job.variables);
  }

  #pause(): Promise<void> {
    this.phase = 'paused';
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #end(result: EvaluationResult): void {
    this.result = JSON.stringify(result);
    this.phase = 'ended';
  }
}

const failureOf = (thrown: unknown): EvaluationResult => ({
  kind: 'fault',
  fault: faultOf(thrown),
});

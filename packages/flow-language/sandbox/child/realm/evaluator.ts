/**
 * The evaluator as the child sees it. Only texts pass the border of a realm, so that no expression gets hold of
 * anything that another realm or the child itself could meet.
 */
import type { Expression, Json } from '../../../plan.ts';
import type { EvaluationJob, EvaluationResult } from '../../protocol.ts';
import { isTrue, run } from './expressions.ts';
import { faultOf } from './fault.ts';
import { freezeIntrinsics } from './freeze.ts';
import { render } from './render.ts';
import { enterWorld, replaceWorld } from './world.ts';

/** `paused` between two expressions of a template. */
export type Phase = 'running' | 'paused' | 'ended';

export interface Evaluator {
  /** Begins an `EvaluationJob`, given as JSON. */
  begin(job: string): void;
  phase(): Phase;
  resume(): void;
  /** The `EvaluationResult` as JSON. */
  result(): string;
}

/** Once in each realm. */
export function createEvaluator(): Evaluator {
  replaceWorld();
  freezeIntrinsics();
  let evaluation: Evaluation | undefined;
  return Object.freeze({
    begin(job: string) {
      evaluation = new Evaluation(job);
    },
    phase: () => evaluation?.phase ?? 'ended',
    resume: () => evaluation?.resume(),
    result() {
      const { result = '' } = evaluation ?? {};
      evaluation = undefined;
      return result;
    },
  });
}

class Evaluation {
  phase: Phase = 'running';
  result = '';
  #resume: () => void = () => {};
  #begun = false;

  constructor(job: string) {
    this.#perform(job)
      .catch(failed)
      .then((result) => this.#end(result));
  }

  resume(): void {
    this.phase = 'running';
    this.#resume();
  }

  async #perform(text: string): Promise<EvaluationResult> {
    const job: EvaluationJob = JSON.parse(text);
    readTexts(job);
    enterWorld(job.now, job.seed);
    const runOne = (expression: Expression) => this.#run(job, expression);
    if (job.kind === 'test') return { kind: 'truth', truth: isTrue(await runOne(job.expression)) };
    const value = await render(job.template, runOne);
    return value === undefined ? { kind: 'value' } : { kind: 'value', value };
  }

  async #run(job: EvaluationJob, { source }: Expression): Promise<unknown> {
    if (this.#begun) await this.#pause();
    this.#begun = true;
    return run(source, job.input, job.variables);
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

const failed = (thrown: unknown): EvaluationResult => ({ kind: 'fault', fault: faultOf(thrown) });

/** Puts the variables that came as text where they belong. */
function readTexts({ texts, variables }: EvaluationJob): void {
  for (const { path, json } of texts) {
    const [name = '', member] = path;
    const value: Json = JSON.parse(json);
    if (member === undefined) variables[name] = value;
    else (variables[name] as Record<string, Json>)[member] = value;
  }
}

/** A world of its own for the expressions of one tenant: a context of V8 with its own intrinsics and JSONata. */
import { constants, createContext, type Script } from 'node:vm';
import type { EvaluationResult } from '../protocol.ts';
import type { Evaluator } from './realm/evaluator.ts';

const WITHOUT_CODE_GENERATION = { codeGeneration: { strings: false, wasm: false } };

/** An evaluation that waits for what nothing will ever settle; it costs no CPU time. */
const ENDLESS: EvaluationResult = {
  kind: 'fault',
  fault: {
    code: 'EXPRESSION_TIMEOUT',
    message: 'it waits for something that never comes',
    reason: null,
    position: null,
  },
};

export class Realm {
  readonly #evaluator: Evaluator;

  /** The script makes an `Evaluator`. */
  constructor(script: Script) {
    const context = createContext(constants.DONT_CONTEXTIFY, WITHOUT_CODE_GENERATION);
    this.#evaluator = script.runInContext(context);
  }

  /**
   * Performs an `Evaluation`, given as JSON. `onPiece` is called once that is read, and between two
   * expressions of a template.
   */
  async perform(json: string, onPiece: () => void): Promise<EvaluationResult> {
    this.#evaluator.begin(json);
    onPiece();
    this.#evaluator.resume();
    for (;;) {
      await allMicrotasks();
      const phase = this.#evaluator.phase();
      if (phase === 'ended') return JSON.parse(this.#evaluator.result());
      if (phase === 'running') return ENDLESS;
      onPiece();
      this.#evaluator.resume();
    }
  }
}

/**
 * JSONata computes in microtasks only. Once there are none left, nothing of an evaluation goes on, be it
 * ended or not.
 */
function allMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

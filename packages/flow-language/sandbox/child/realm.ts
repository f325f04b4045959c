/** The realm of one tenant's expressions: a context of V8 with its own intrinsics and its own JSONata. */
import { constants, createContext, type Script } from 'node:vm';
import type { EvaluationResult } from '../protocol.ts';
import type { Evaluator } from './realm/evaluator.ts';

const WITHOUT_CODE_GENERATION = { codeGeneration: { strings: false, wasm: false } };

/** The result, as JSON, of an evaluation that awaits a promise that no code will settle. Such an evaluation costs no CPU time. */
const ENDLESS = JSON.stringify({
  kind: 'fault',
  fault: {
    code: 'EXPRESSION_TIMEOUT',
    message: 'it waits for something that never comes',
    reason: null,
    position: null,
  },
} satisfies EvaluationResult);

export class Realm {
  readonly #evaluator: Evaluator;

  /** The script makes an `Evaluator`. */
  constructor(script: Script) {
    const context = createContext(constants.DONT_CONTEXTIFY, WITHOUT_CODE_GENERATION);
    this.#evaluator = script.runInContext(context);
  }

  /**
   * Performs an `Evaluation`, given as JSON. `onPiece` is called after the JSON is read, and between two expressions
   * of a template. Returns an `EvaluationResult` as JSON.
   */
  async perform(json: string, onPiece: () => void): Promise<string> {
    this.#evaluator.begin(json);
    onPiece();
    this.#evaluator.resume();
    for (;;) {
      await allMicrotasks();
      const phase = this.#evaluator.phase();
      if (phase === 'ended') return this.#evaluator.result();
      if (phase === 'running') return ENDLESS;
      onPiece();
      this.#evaluator.resume();
    }
  }
}

/** Waits until the queue of microtasks is empty. JSONata computes in microtasks only, so an evaluation then stands still. */
function allMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

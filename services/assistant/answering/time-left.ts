import { Interrupted, type Interruption } from './interruption.ts';

/** The end of an answer's time: a signal that its limit, a stop of the process or the loss of its lease aborts. */
export class AnswerTime {
  readonly #controller = new AbortController();
  readonly #endAt: number;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#endAt = performance.now() + ms;
    this.#timer = setTimeout(() => this.interrupt('time'), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  msLeft = (): number => Math.max(0, this.#endAt - performance.now());

  interrupt(interruption: Interruption): void {
    this.#controller.abort(new Interrupted(interruption));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

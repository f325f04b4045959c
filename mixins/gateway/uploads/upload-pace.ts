import { Problem, RequestTimeout } from '../../../contract/problem.ts';

export interface PaceLimits {
  /** The least bytes a second that a client may send, on the average of a window. */
  minBytesPerSecond: number;
  /** The seconds of a window. */
  windowSeconds: number;
  /** Seconds that an upload may take, however fast it is. */
  maxSeconds: number;
}

export const defaultPace: PaceLimits = {
  minBytesPerSecond: 16 * 1024,
  windowSeconds: 10,
  maxSeconds: 600,
};

const SECOND_MS = 1_000;

/**
 * Watches how fast a client sends the body of its upload. A second in which this side did not take all that the client
 * sent does not count.
 */
export class UploadPace {
  readonly #limits: PaceLimits;
  readonly #onLate: (problem: Problem) => void;
  readonly #timer: NodeJS.Timeout;
  /** The bytes of the latest whole seconds that count. */
  readonly #window: number[] = [];
  #seconds = 0;
  #bytes = 0;
  #isWaiting = false;
  /** Whether the client had to wait at any time of the current second. */
  #hasWaited = false;

  constructor(limits: PaceLimits, onLate: (problem: Problem) => void) {
    this.#limits = limits;
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#check(), SECOND_MS);
  }

  record(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Notes that the client has to wait for this side. */
  recordWait(): void {
    this.#isWaiting = true;
    this.#hasWaited = true;
  }

  /** Notes that the client may go on. */
  recordResume(): void {
    this.#isWaiting = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { minBytesPerSecond, windowSeconds, maxSeconds } = this.#limits;
    if (!this.#hasWaited) this.#window.push(this.#bytes);
    if (this.#window.length > windowSeconds) this.#window.shift();
    [this.#bytes, this.#hasWaited] = [0, this.#isWaiting];
    this.#seconds++;
    const sent = this.#window.reduce((sum, bytes) => sum + bytes, 0);
    const isSlow =
      this.#window.length === windowSeconds && sent < minBytesPerSecond * windowSeconds;
    if (isSlow) this.#end(`fewer than ${minBytesPerSecond} bytes a second in ${windowSeconds} s`);
    else if (this.#seconds >= maxSeconds) this.#end(`more than ${maxSeconds} s`);
  }

  #end(what: string): void {
    this.stop();
    this.#onLate(new Problem(RequestTimeout, `The file came too slowly: ${what}.`));
  }
}

export interface TurnsOptions {
  /** Pieces of work at once, all keys together. */
  atOnce: number;
  /** Of these with the same key; 1 unless given. */
  ofOneKey?: number;
  /** Of one key that may wait; more are refused. */
  mostWaiting: number;
  /** What waits longer is refused as well, undone: whoever asked has gone by then. */
  patienceMs?: number;
  refusal: () => Error;
}

/**
 * One piece of work at a time for each key, or a few, and the keys in turn: who sends many waits for their own, not
 * others for them.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #busy = new Map<string, number>();
  #allBusy = 0;
  /** What waits, first the key whose turn is next. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#turnOf(key);
    try {
      return await work();
    } finally {
      this.#end(key);
      this.#beginNext();
    }
  }

  async #turnOf(key: string): Promise<void> {
    const { mostWaiting, refusal } = this.#options;
    const waiting = this.#waiting.get(key) ?? new Set();
    if (waiting.size === 0 && this.#mayBegin(key)) {
      this.#begin(key);
      return;
    }
    if (waiting.size >= mostWaiting) throw refusal();
    this.#waiting.set(key, waiting);
    await this.#patiently(key, waiting);
  }

  #patiently(key: string, waiting: Set<() => void>): Promise<void> {
    const { patienceMs, refusal } = this.#options;
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(begin);
        if (waiting.size === 0) this.#waiting.delete(key);
        reject(refusal());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      waiting.add(begin);
    });
  }

  #mayBegin(key: string): boolean {
    const { atOnce, ofOneKey = 1 } = this.#options;
    return this.#allBusy < atOnce && (this.#busy.get(key) ?? 0) < ofOneKey;
  }

  #begin(key: string): void {
    this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    this.#allBusy++;
  }

  #end(key: string): void {
    const left = (this.#busy.get(key) ?? 0) - 1;
    if (left > 0) this.#busy.set(key, left);
    else this.#busy.delete(key);
    this.#allBusy--;
  }

  #beginNext(): void {
    for (const [key, waiting] of this.#waiting) {
      if (!this.#mayBegin(key)) continue;
      const [first] = waiting;
      this.#waiting.delete(key);
      if (!first) continue;
      waiting.delete(first);
      if (waiting.size > 0) this.#waiting.set(key, waiting); // behind all others
      this.#begin(key);
      first();
    }
  }
}

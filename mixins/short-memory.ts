import { LRUCache } from 'lru-cache';

/** Milliseconds for which a node may go on with what it has heard, unless another time is given. */
const LASTS_MS = 1_000;
const MOST = 50_000;

/**
 * Answers as this node knows them: for at most 1 s from the moment it asked, or the time given, and dropped
 * at once when somebody says that they have changed; an answer that is under way when that is said is not kept.
 */
export class ShortMemory<T extends object> {
  readonly #known: LRUCache<string, T>;
  #drops = 0;

  constructor(ttlMs = LASTS_MS) {
    this.#known = new LRUCache({ max: MOST, ttl: ttlMs });
  }

  /** What is known under the key, or what `ask` answers now. */
  async get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known) return known;
    const drops = this.#drops;
    const start = performance.now(); // an answer counts from before it was asked for
    const answer = await ask();
    if (drops === this.#drops) this.#known.set(key, answer, { start });
    return answer;
  }

  /** Forgets what is known under the keys that begin so; everything, without a beginning. */
  drop(beginning = ''): void {
    this.#drops++;
    if (beginning === '') this.#known.clear();
    else
      for (const key of this.#known.keys()) if (key.startsWith(beginning)) this.#known.delete(key);
  }
}

import { LRUCache } from 'lru-cache';

/** Milliseconds for which a node may go on with what it has heard, unless another time is given. */
const LASTS_MS = 1_000;
const MOST = 50_000;
/** Milliseconds for which others join a question that is under way; later it is asked once more. */
const JOINED_MS = 100;

/**
 * Answers as this node knows them: for at most 1 s from the moment it asked, or the time given, and dropped
 * at once when somebody says that they have changed; an answer that is under way when that is said is not kept.
 * Many that want to know the same thing at once ask once.
 */
export class ShortMemory<T extends object> {
  readonly #known: LRUCache<string, T>;
  readonly #asking = new Map<string, { answer: Promise<T>; start: number }>();

  constructor(ttlMs = LASTS_MS) {
    this.#known = new LRUCache({ max: MOST, ttl: ttlMs });
  }

  /** What is known under the key, or what `ask` answers now. */
  async get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known) return known;
    const start = performance.now(); // an answer counts from before it was asked for
    const earlier = this.#asking.get(key);
    if (earlier && start - earlier.start < JOINED_MS) return earlier.answer;
    const asked = { answer: ask(), start };
    this.#asking.set(key, asked);
    try {
      const answer = await asked.answer;
      if (this.#asking.get(key) === asked) this.#known.set(key, answer, { start });
      return answer;
    } finally {
      if (this.#asking.get(key) === asked) this.#asking.delete(key);
    }
  }

  /** Forgets what is known under the keys that begin so; everything, without a beginning. */
  drop(beginning = ''): void {
    this.#asking.clear();
    if (beginning === '') this.#known.clear();
    else
      for (const key of this.#known.keys()) if (key.startsWith(beginning)) this.#known.delete(key);
  }
}

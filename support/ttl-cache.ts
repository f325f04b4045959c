import { LRUCache } from 'lru-cache';

/** Milliseconds for which a node uses an answer, unless another time is given. */
const LASTS_MS = 1_000;
/** Entries that are kept; beyond it the one unused for longest is forgotten. */
const MOST = 50_000;
/** Milliseconds for which callers share a question under way; a later caller asks anew. */
const JOINED_MS = 100;

/**
 * A cache whose entries live from the start of the question, 1 s unless another time is given. Callers of
 * `get` with the same key share a question under way, and `drop` also keeps its answer out of the cache.
 */
export class TtlCache<T extends object> {
  readonly #known: LRUCache<string, T>;
  readonly #asking = new Map<string, { answer: Promise<T>; start: number }>();

  constructor(ttlMs = LASTS_MS) {
    // A resolution above 0 makes a timer for each millisecond in which the cache is asked.
    this.#known = new LRUCache({ max: MOST, ttl: ttlMs, ttlResolution: 0 });
  }

  /** The cached answer of the key, or what `ask` answers now. */
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

  /** Forgets the answers of the keys with this beginning; without a beginning, all. */
  drop(beginning = ''): void {
    this.#asking.clear();
    if (beginning === '') this.#known.clear();
    else
      for (const key of this.#known.keys()) if (key.startsWith(beginning)) this.#known.delete(key);
  }
}

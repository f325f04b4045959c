import { LRUCache } from 'lru-cache';

/** Milliseconds for which an entry is used, unless another time is given. */
const DEFAULT_TTL_MS = 1_000;
/** Entries that are kept. Beyond it, the least recently used is dropped. */
const MAX_ENTRIES = 50_000;
/** Milliseconds for which callers join a load in flight; a later caller starts another. */
const JOIN_MS = 100;

/**
 * A cache whose entries live for a time from the start of their load. Callers of `get` with the same key share a
 * load in flight, and `drop` also keeps the value of such a load out of the cache.
 */
export class TtlCache<T extends object> {
  readonly #entries: LRUCache<string, T>;
  readonly #loading = new Map<string, { value: Promise<T>; start: number }>();

  constructor(ttlMs = DEFAULT_TTL_MS) {
    // A resolution above 0 makes a timer for each millisecond in which the cache is asked.
    this.#entries = new LRUCache({ max: MAX_ENTRIES, ttl: ttlMs, ttlResolution: 0 });
  }

  /** The cached value of the key, or the one that `load` resolves with now. */
  async get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached) return cached;
    const start = performance.now(); // a value may be as old as the start of its load
    const earlier = this.#loading.get(key);
    if (earlier && start - earlier.start < JOIN_MS) return earlier.value;
    const loading = { value: load(), start };
    this.#loading.set(key, loading);
    try {
      const value = await loading.value;
      if (this.#loading.get(key) === loading) this.#entries.set(key, value, { start });
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  /** Drops the entries whose keys begin with the prefix; without a prefix, all. */
  drop(prefix = ''): void {
    this.#loading.clear();
    if (prefix === '') this.#entries.clear();
    else
      for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

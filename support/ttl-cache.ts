import type { LRUCache } from 'lru-cache';
import { lruCache } from './lru-cache.ts';

/** Milliseconds that an entry lives by default; beyond them the entry is loaded again. */
const DEFAULT_TTL_MS = 1_000;
/** Entries of a cache. Beyond it the least recently used entry is dropped. */
const MAX_ENTRIES = 50_000;
/** Milliseconds from the start of a load in which further callers join the load; a later caller starts another load. */
const JOIN_MS = 100;

/**
 * A cache whose entries live for a time from the start of their load. Callers of `get` with the same key share a
 * load in flight, and `drop` also keeps the value of such a load out of the cache.
 */
export class TtlCache<T extends object> {
  readonly #entries: LRUCache<string, T>;
  readonly #loading = new Map<string, { value: Promise<T>; start: number }>();

  constructor(ttlMs = DEFAULT_TTL_MS) {
    // With a resolution above 0 the cache makes a timer in each millisecond with a read.
    this.#entries = lruCache(MAX_ENTRIES, { ttl: ttlMs, ttlResolution: 0 });
  }

  /** The cached value of the key, or the value of a new load. */
  async get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached) return cached;
    const start = performance.now(); // the TTL counts from the start of the load, because the value may be that old
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

  /** Drops the entries with keys that begin with the prefix, or all entries without a prefix. */
  drop(prefix = ''): void {
    this.#loading.clear();
    if (prefix === '') this.#entries.clear();
    else
      for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

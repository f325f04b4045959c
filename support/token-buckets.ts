import type { LRUCache } from 'lru-cache';
import type { RateLimit } from '../environment/values/rate-limit.ts';
import { lruCache } from './lru-cache.ts';

/** The state of a bucket after a token was taken or refused. */
export interface Grant {
  readonly granted: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Seconds until the bucket gets its next token, rounded up: 0 for a full bucket, at least 1 without a grant. */
  readonly waitSeconds: number;
}

/** The state of a bucket before its reset. */
export interface ResetBucket {
  /** Tokens that were taken and not yet refilled. */
  readonly taken: number;
  /** Whether the bucket had no whole token. */
  readonly empty: boolean;
}

/** Buckets in memory. Beyond it the least recently used bucket is dropped, and is full at its next use. */
const MAX_BUCKETS = 50_000;
/** The greatest rounding error of sums of milliseconds, as a fraction of a token. */
const ROUNDING = 1e-6;

/**
 * Token buckets by key. A bucket has `count` tokens and is refilled with `count` tokens in `seconds`; the stored time
 * at which the bucket is full (GCRA) replaces a timer.
 */
export class TokenBuckets {
  readonly #fullAt: LRUCache<string, number>;
  readonly #windowMs: number;
  readonly #tokenMs: number;
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    { count, seconds }: RateLimit,
    { maxBuckets = MAX_BUCKETS, now = () => performance.now() } = {},
  ) {
    this.#fullAt = lruCache(maxBuckets);
    this.#windowMs = seconds * 1_000;
    this.#tokenMs = this.#windowMs / count;
    this.#now = now;
  }

  /** Takes a token. An empty bucket refuses and does not change. */
  take(key: string): Grant {
    const now = this.#now();
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now);
    const granted = this.#tokens(fullAt - now) >= 1;
    const next = granted ? fullAt + this.#tokenMs : fullAt;
    this.#fullAt.set(key, next);
    const { remaining, waitSeconds } = this.#grantOf(next - now);
    return { granted, remaining, waitSeconds: granted ? waitSeconds : Math.max(1, waitSeconds) };
  }

  /**
   * Takes tokens that another process has granted. The bucket may owe tokens then, as many as it holds at most, and
   * refuses until they are paid.
   */
  charge(key: string, tokens: number): void {
    const now = this.#now();
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now) + tokens * this.#tokenMs;
    this.#fullAt.set(key, Math.min(fullAt, now + 2 * this.#windowMs));
  }

  /** Puts back a token that was taken. */
  putBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#tokenMs);
  }

  /** Fills the bucket. */
  reset(key: string): ResetBucket {
    const untilFull = Math.max(0, (this.#fullAt.get(key) ?? 0) - this.#now());
    this.#fullAt.delete(key);
    const taken = Math.max(0, Math.ceil(untilFull / this.#tokenMs - ROUNDING));
    return { taken, empty: this.#tokens(untilFull) < 1 };
  }

  #tokens(untilFullMs: number): number {
    return Math.floor((this.#windowMs - untilFullMs) / this.#tokenMs + ROUNDING);
  }

  #grantOf(untilFullMs: number): Omit<Grant, 'granted'> {
    const remaining = Math.max(0, this.#tokens(untilFullMs));
    const nextMs = untilFullMs - (this.#windowMs - (remaining + 1) * this.#tokenMs);
    return { remaining, waitSeconds: untilFullMs > 0 ? Math.ceil(nextMs / 1_000 - ROUNDING) : 0 };
  }
}

import { LRUCache } from 'lru-cache';
import type { RateLimit } from '../environment/values/rate-limit.ts';

/** The state of a bucket after a token was taken or refused. */
export interface Grant {
  readonly granted: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Seconds until there is one token more, rounded up: 0 for a full bucket, at least 1 without a grant. */
  readonly waitSeconds: number;
}

/** Buckets that are kept. Beyond it, the least recently used is dropped, and so is full again. */
const MAX_BUCKETS = 50_000;
/** Part of a token by which rounding makes sums of milliseconds wrong at most. */
const ROUNDING = 1e-6;

/**
 * Token buckets by key: each holds `count` tokens and is refilled evenly, `count` in `seconds`. A bucket
 * is one number, the time at which it will be full (GCRA), so that no timer is needed.
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
    this.#fullAt = new LRUCache({ max: maxBuckets });
    this.#windowMs = seconds * 1_000;
    this.#tokenMs = this.#windowMs / count;
    this.#now = now;
  }

  /** Takes a token; an empty bucket grants none and is left as it is. */
  take(key: string): Grant {
    const now = this.#now();
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now);
    const granted = this.#tokens(fullAt - now) >= 1;
    const next = granted ? fullAt + this.#tokenMs : fullAt;
    this.#fullAt.set(key, next);
    const { remaining, waitSeconds } = this.#grantOf(next - now);
    return { granted, remaining, waitSeconds: granted ? waitSeconds : Math.max(1, waitSeconds) };
  }

  /** Puts back a token that was taken. */
  putBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#tokenMs);
  }

  #tokens(untilFullMs: number): number {
    return Math.floor((this.#windowMs - untilFullMs) / this.#tokenMs + ROUNDING);
  }

  #grantOf(untilFullMs: number): Omit<Grant, 'granted'> {
    const remaining = this.#tokens(untilFullMs);
    const nextMs = untilFullMs - (this.#windowMs - (remaining + 1) * this.#tokenMs);
    return { remaining, waitSeconds: untilFullMs > 0 ? Math.ceil(nextMs / 1_000 - ROUNDING) : 0 };
  }
}

import type { RateLimit } from '../../environment/values/rate-limit.ts';
import { type TokenBucketDocument, TokenBucketModel } from '../../models/token-bucket.model.ts';
import { hashOf } from '../../support/hash.ts';
import { lruCache } from '../../support/lru-cache.ts';
import type { Grant, ResetBucket } from '../../support/token-buckets.ts';
import { isDuplicateKey } from './database.ts';
import { databaseClock } from './database-clock.ts';

/** Empty buckets that a process remembers. Beyond it the least recently used one is asked for in the database again. */
const MAX_REFUSALS = 10_000;
/** The greatest rounding error of sums of milliseconds, as a fraction of a token. */
const ROUNDING = 1e-6;
/** Milliseconds for which a full bucket is stored at least, so that no clock of a process decides. */
const SPARE_MS = 1_000;

/** The buckets of a limiter in memory or in the database. */
export interface Buckets {
  /** Takes a token. An empty bucket refuses and does not change. */
  take(key: string): Grant | Promise<Grant>;
  /** Fills the bucket. */
  reset(key: string): ResetBucket | Promise<ResetBucket>;
  /** Drops what this process remembers of buckets that another process has reset. */
  forget?(): void;
}

/**
 * Token buckets by key that all processes share. One atomic command of the database takes a token by the database's
 * clock, so that simultaneous attempts of several processes get no more tokens than there are. A process remembers an
 * empty bucket until its next token, so that a flood of refused attempts costs no commands.
 */
export class SharedTokenBuckets implements Buckets {
  readonly #name: string;
  readonly #windowMs: number;
  readonly #tokenMs: number;
  readonly #now: () => number;
  /** By key: the time of the next token. */
  readonly #refusals = lruCache<string, number>(MAX_REFUSALS);

  /**
   * @param name the name of the limit; buckets of different names share no key
   * @param now milliseconds of a monotonic clock
   */
  constructor(name: string, { count, seconds }: RateLimit, now = () => performance.now()) {
    this.#name = name;
    this.#windowMs = seconds * 1_000;
    this.#tokenMs = this.#windowMs / count;
    this.#now = now;
  }

  async take(key: string): Promise<Grant> {
    const id = this.#idOf(key);
    const known = (this.#refusals.get(id) ?? 0) - this.#now();
    if (known > 0) return refusal(known);
    const { granted, fullAt, takenAt } = await this.#takeStored(id);
    const untilFull = fullAt - takenAt;
    const remaining = Math.floor((this.#windowMs - untilFull) / this.#tokenMs + ROUNDING);
    const nextMs = untilFull - (this.#windowMs - (remaining + 1) * this.#tokenMs);
    if (granted) return { granted, remaining, waitSeconds: Math.ceil(nextMs / 1_000) };
    this.#refusals.set(id, this.#now() + nextMs);
    return refusal(nextMs);
  }

  /** Fills the bucket. Other processes refuse until the next token, or until their `forget`. */
  async reset(key: string): Promise<ResetBucket> {
    const _id = this.#idOf(key);
    const bucket = await TokenBucketModel.findOneAndDelete({ _id }).lean<TokenBucketDocument>();
    this.#refusals.delete(_id);
    const { fullAt = 0, takenAt = 0 } = bucket ?? {};
    const now = Math.max(databaseClock.now(), takenAt); // the estimated clock may lag behind the last attempt
    const untilFull = Math.max(0, fullAt - now);
    const taken = Math.max(0, Math.ceil(untilFull / this.#tokenMs - ROUNDING));
    return { taken, empty: (taken + 1) * this.#tokenMs > this.#windowMs * (1 + ROUNDING) };
  }

  forget(): void {
    this.#refusals.clear();
  }

  #idOf(key: string): string {
    return hashOf(`${this.#name}\n${key}`);
  }

  /** Takes once more after a duplicate key: another process has inserted the bucket at the same time. */
  #takeStored(_id: string): Promise<TokenBucketDocument> {
    return this.#update(_id).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return this.#update(_id);
    });
  }

  #update(_id: string): Promise<TokenBucketDocument> {
    const next = { $add: ['$fullAt', this.#tokenMs] };
    const latest = { $add: ['$takenAt', this.#windowMs + this.#tokenMs * ROUNDING] };
    const expiresAt = { $add: ['$$NOW', this.#windowMs + SPARE_MS] };
    return TokenBucketModel.findOneAndUpdate(
      { _id },
      [
        { $set: { takenAt: { $subtract: ['$$NOW', new Date(0)] } } },
        { $set: { fullAt: { $max: ['$fullAt', '$takenAt'] } } },
        { $set: { granted: { $lte: [next, latest] } } },
        { $set: { fullAt: { $cond: ['$granted', next, '$fullAt'] }, expiresAt } },
      ],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    )
      .orFail()
      .lean<TokenBucketDocument>()
      .exec();
  }
}

const refusal = (waitMs: number): Grant => ({
  granted: false,
  remaining: 0,
  waitSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
});

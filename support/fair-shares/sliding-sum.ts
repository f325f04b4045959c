/** A sum over the last `length` buckets of time, in constant memory. The caller numbers the buckets. */
export class SlidingSum {
  readonly #buckets: Float64Array;
  #newest = 0;

  constructor(length: number) {
    this.#buckets = new Float64Array(length);
  }

  /** The number of the last bucket with an addition. */
  get newest(): number {
    return this.#newest;
  }

  add(bucket: number, amount: number): void {
    this.#advance(bucket);
    const at = bucket % this.#buckets.length;
    this.#buckets[at] = (this.#buckets[at] ?? 0) + amount;
    this.#newest = bucket;
  }

  /** The sum of the last `length` buckets, up to and including `bucket`. */
  at(bucket: number): number {
    this.#advance(bucket);
    return this.#buckets.reduce((sum, amount) => sum + amount, 0);
  }

  #advance(bucket: number): void {
    const { length } = this.#buckets;
    if (bucket - this.#newest >= length) this.#buckets.fill(0);
    else for (let n = this.#newest + 1; n <= bucket; n++) this.#buckets[n % length] = 0;
  }
}

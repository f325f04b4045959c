import type { ShareOwner } from './share.ts';
import { SlidingSum } from './sliding-sum.ts';

/** Milliseconds of a bucket, by which the window slides: CPU time counts for 55 to 60 s after its use. */
const BUCKET_MS = 5_000;
const BUCKETS = 12;
/** CPU milliseconds within the window up to which an owner is of level 0, and never over their share. */
const NEGLIGIBLE_MS = 500;
/** Owners that are kept. Beyond it, the one charged longest ago is dropped. */
const MAX_OWNERS = 10_000;

/**
 * CPU time that the children of this process used in the last minute, by owner.
 *
 * The share of an owner is the CPU time of all, divided by the number of owners who used any plus one, for the
 * next owner. Hence a single owner is over their share, and yields as soon as another one waits. An owner without
 * CPU time never is.
 */
export class CpuLedger {
  readonly #now: () => number;
  /** In the order of their last charge. */
  readonly #owners = new Map<ShareOwner, SlidingSum>();
  readonly #total = new SlidingSum(BUCKETS);

  /** `now` is a monotonic clock, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  charge(owner: ShareOwner, cpuMs: number): void {
    const bucket = this.#bucket();
    const used = this.#owners.get(owner) ?? new SlidingSum(BUCKETS);
    used.add(bucket, cpuMs);
    this.#total.add(bucket, cpuMs);
    this.#owners.delete(owner);
    this.#owners.set(owner, used);
    this.#forget(bucket);
  }

  /** CPU time of the last minute in ms. */
  usedBy(owner: ShareOwner): number {
    return this.#owners.get(owner)?.at(this.#bucket()) ?? 0;
  }

  /** 0 for negligible use, and one more for each doubling, so that small differences do not count. */
  levelOf(owner: ShareOwner): number {
    const used = this.usedBy(owner);
    return used <= NEGLIGIBLE_MS ? 0 : 1 + Math.floor(Math.log2(used / NEGLIGIBLE_MS));
  }

  isOverShare(owner: ShareOwner): boolean {
    const used = this.usedBy(owner);
    if (used <= NEGLIGIBLE_MS) return false;
    const bucket = this.#bucket();
    this.#forget(bucket);
    return used > this.#total.at(bucket) / (this.#owners.size + 1);
  }

  /** Whether the owner is over their share, and others used CPU time within the window. */
  isCrowding(owner: ShareOwner): boolean {
    return this.isOverShare(owner) && this.#owners.size > 1;
  }

  /** Drops owners without CPU time in the window, and those beyond `MAX_OWNERS`. */
  #forget(bucket: number): void {
    for (const [owner, { newest }] of this.#owners) {
      if (newest > bucket - BUCKETS && this.#owners.size <= MAX_OWNERS) return;
      this.#owners.delete(owner);
    }
  }

  #bucket(): number {
    return Math.floor(this.#now() / BUCKET_MS);
  }
}

import type { ShareOwner } from './share.ts';
import { SlidingSum } from './sliding-sum.ts';

/** Milliseconds of a bucket. The window slides by one bucket, so CPU time counts for 55 to 60 s after its use. */
const BUCKET_MS = 5_000;
/** Buckets of the window, which is 60 s. CPU time in older buckets no longer counts. */
const BUCKETS = 12;
/** CPU milliseconds within the window. Up to this number an owner has level 0 and is not over their share. */
const NEGLIGIBLE_MS = 500;
/** Owners in the ledger. Beyond it the owner with the oldest charge is dropped. */
const MAX_OWNERS = 10_000;
/** Milliseconds after a charge for which its owner counts as active. */
const ACTIVE_MS = 5_000;

/** The latest charge of owners of one level, and the latest charge of another owner of that level. */
interface LatestCharges {
  owner: ShareOwner;
  at: number;
  /** The time of the latest charge of another owner. */
  othersAt: number;
}

/**
 * CPU time that the children of this process used in the last minute, and the cost of the engine's own work, by owner.
 *
 * The share of an owner is the CPU time of all owners, divided by the number of owners with CPU time plus one. So an
 * owner alone is over their share, and yields to the next owner.
 */
export class CpuLedger {
  readonly #now: () => number;
  /** The sums by owner, in the order of the owners' last charges. */
  readonly #owners = new Map<ShareOwner, SlidingSum>();
  readonly #total = new SlidingSum(BUCKETS);
  /** The latest charges by the level of their owners. */
  readonly #latest: LatestCharges[] = [];

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
    this.#noteCharge(owner);
  }

  /** CPU time of the last minute in ms. */
  usedBy(owner: ShareOwner): number {
    return this.#owners.get(owner)?.at(this.#bucket()) ?? 0;
  }

  /** The owner's level: 0 for negligible use, and 1 more for each doubling of the use. */
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

  /** Whether an owner of a lower level is active. */
  isLighterOwnerActive(owner: ShareOwner): boolean {
    const level = this.levelOf(owner);
    const since = this.#now() - ACTIVE_MS;
    return this.#latest.some(
      (latest, other) =>
        other < level && (latest.owner === owner ? latest.othersAt : latest.at) > since,
    );
  }

  #noteCharge(owner: ShareOwner): void {
    const level = this.levelOf(owner);
    while (this.#latest.length <= level)
      this.#latest.push({
        owner,
        at: Number.NEGATIVE_INFINITY,
        othersAt: Number.NEGATIVE_INFINITY,
      });
    const latest = this.#latest[level];
    if (!latest) return;
    if (latest.owner !== owner) Object.assign(latest, { owner, othersAt: latest.at });
    latest.at = this.#now();
  }

  /** Drops owners without CPU time in the window, and owners beyond `MAX_OWNERS`. */
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

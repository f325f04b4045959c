import type { Share, ShareOwner } from './share.ts';

/** Of what others leave free, how many times as much one owner may hold: alone, three quarters. */
const OWNER_FACTOR = 3;
/** Of what an owner's other workspaces leave of that, how many times as much one of them may hold. */
const TENANT_FACTOR = 9;

interface Holding {
  held: number;
  readonly ofTenant: Map<string, number>;
}

/**
 * A capacity that no owner can use up, and no workspace for the owner's others: slots or bytes. The more
 * somebody holds, the more has to stay free for the others.
 */
export class FairCapacity {
  #total: number;
  readonly #ownerFactor: number;
  readonly #tenantFactor: number;
  readonly #holdings = new Map<ShareOwner, Holding>();
  #held = 0;

  constructor(total: number, ownerFactor = OWNER_FACTOR, tenantFactor = TENANT_FACTOR) {
    this.#total = total;
    this.#ownerFactor = ownerFactor;
    this.#tenantFactor = tenantFactor;
  }

  get free(): number {
    return this.#total - this.#held;
  }

  get isUnused(): boolean {
    return this.#holdings.size === 0;
  }

  /** Whether some workspace of the owner may add so much. Who holds nothing may have all that is free. */
  mayOwnerAdd(owner: ShareOwner, amount: number): boolean {
    if (!this.#holdings.has(owner)) return this.free >= amount;
    return amount <= this.#roomOf(owner);
  }

  mayAdd({ owner, tenant }: Share, amount: number): boolean {
    if (!this.mayOwnerAdd(owner, amount)) return false;
    const held = this.#holdings.get(owner)?.ofTenant.get(tenant) ?? 0;
    if (held === 0) return true;
    return held + amount <= this.#tenantFactor * (this.#roomOf(owner) - amount);
  }

  /** Makes the capacity larger, or smaller again. */
  grow(amount: number): void {
    this.#total += amount;
  }

  /** Adds to what a workspace holds, or takes from it. */
  add({ owner, tenant }: Share, amount: number): void {
    const holding = this.#holdings.get(owner) ?? { held: 0, ofTenant: new Map<string, number>() };
    const ofTenant = (holding.ofTenant.get(tenant) ?? 0) + amount;
    if (ofTenant > 0) holding.ofTenant.set(tenant, ofTenant);
    else holding.ofTenant.delete(tenant);
    holding.held += amount;
    this.#held += amount;
    if (holding.ofTenant.size > 0) this.#holdings.set(owner, holding);
    else this.#holdings.delete(owner);
  }

  /** How much more the owner may hold, which is negative for one who holds too much. */
  #roomOf(owner: ShareOwner): number {
    const held = this.#holdings.get(owner)?.held ?? 0;
    return Math.floor((this.#ownerFactor * this.free - held) / (this.#ownerFactor + 1));
  }
}

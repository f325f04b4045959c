import type { Share, ShareOwner } from './share.ts';

/** How many times the free capacity one owner may hold. Alone, an owner may hold three quarters. */
const OWNER_FACTOR = 3;
/** How many times the room left to its owner one tenant may hold. */
const TENANT_FACTOR = 9;

interface Holding {
  held: number;
  readonly ofTenant: Map<string, number>;
}

/**
 * A capacity, such as slots or bytes, that no owner can use up, and no tenant for the owner's other tenants. The
 * more an owner holds, the more has to stay free for others.
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

  /** Whether some tenant of the owner may add the amount. An owner who holds nothing may take all that is free. */
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

  /** Adds an amount to what a tenant holds; a negative amount gives it back. */
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

  /** How much more the owner may hold; negative for an owner who holds too much. */
  #roomOf(owner: ShareOwner): number {
    const held = this.#holdings.get(owner)?.held ?? 0;
    return Math.floor((this.#ownerFactor * this.free - held) / (this.#ownerFactor + 1));
  }
}

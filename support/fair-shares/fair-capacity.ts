import type { Share, ShareOwner } from './share.ts';

/** The multiple of the free capacity that one owner may hold. With 3, an owner alone may hold three quarters. */
const OWNER_FACTOR = 3;
/** The multiple of its owner's remaining room that one tenant may hold. */
const TENANT_FACTOR = 9;

interface Holding {
  held: number;
  readonly ofTenant: Map<string, number>;
}

/**
 * A capacity, such as slots or bytes, that neither one owner nor one tenant of an owner can use up. The more an owner
 * holds, the more capacity must stay free for other owners.
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

  isHolder(owner: ShareOwner): boolean {
    return this.#holdings.has(owner);
  }

  /** Whether some tenant of the owner may add the amount. An owner without holdings may take the whole free capacity. */
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

  /** Adds an amount to the capacity; a negative amount makes the capacity smaller. */
  grow(amount: number): void {
    this.#total += amount;
  }

  /** Adds an amount to a tenant's holding; a negative amount gives capacity back. */
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

  /** The amount that the owner may add; negative for an owner who holds too much. */
  #roomOf(owner: ShareOwner): number {
    const held = this.#holdings.get(owner)?.held ?? 0;
    return Math.floor((this.#ownerFactor * this.free - held) / (this.#ownerFactor + 1));
  }
}

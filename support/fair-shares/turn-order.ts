import type { Share, ShareOwner } from './share.ts';

/**
 * The order of waiting items: owners take turns, then the tenants of an owner, then the oldest item is next. A `Map`
 * keeps insertion order, so its first key has the next turn.
 */
export class TurnOrder<T> {
  readonly #owners = new Map<ShareOwner, Map<string, Set<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ owner, tenant }: Share, item: T): void {
    const tenants = this.#owners.get(owner) ?? new Map<string, Set<T>>();
    const items = tenants.get(tenant) ?? new Set<T>();
    items.add(item);
    tenants.set(tenant, items);
    this.#owners.set(owner, tenants);
    this.#size++;
  }

  /** Removes an item. The item's owner keeps the turn. */
  remove({ owner, tenant }: Share, item: T): void {
    const tenants = this.#owners.get(owner);
    const items = tenants?.get(tenant);
    if (!tenants || !items?.delete(item)) return;
    this.#size--;
    if (items.size === 0) tenants.delete(tenant);
    if (tenants.size === 0) this.#owners.delete(owner);
  }

  /**
   * Takes the next item in turn that may start, among the owners with the lowest level. Levels begin at 0.
   */
  take(
    mayStart: (share: Share) => boolean,
    levelOf: (owner: ShareOwner) => number = () => 0,
  ): T | undefined {
    let next: { share: Share; item: T } | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const owner of this.#owners.keys()) {
      const level = levelOf(owner);
      const found = level < lowest ? this.#nextOf(owner, mayStart) : undefined;
      if (found) [next, lowest] = [found, level];
      if (lowest === 0) break;
    }
    if (!next) return undefined;
    this.#passTurn(next.share);
    this.remove(next.share, next.item);
    return next.item;
  }

  /** Counts the waiting items of an owner, or of one of the owner's tenants. */
  countOf(owner: ShareOwner, tenant?: string): number {
    const tenants = this.#owners.get(owner);
    if (tenant !== undefined) return tenants?.get(tenant)?.size ?? 0;
    let count = 0;
    for (const items of tenants?.values() ?? []) count += items.size;
    return count;
  }

  /** Finds the newest item of the largest tenant of the owner with the most items. */
  newestOfLongest(): { owner: ShareOwner; item: T } | undefined {
    const owner = longest(this.#owners.keys(), (key) => this.countOf(key));
    if (owner === undefined) return undefined;
    const lines = this.#owners.get(owner)?.values() ?? [];
    const item = [...(longest(lines, ({ size }) => size) ?? [])].at(-1);
    return item === undefined ? undefined : { owner, item };
  }

  #nextOf(
    owner: ShareOwner,
    mayStart: (share: Share) => boolean,
  ): { share: Share; item: T } | undefined {
    for (const [tenant, items] of this.#owners.get(owner) ?? []) {
      const share = { owner, tenant };
      const [item] = items;
      if (item !== undefined && mayStart(share)) return { share, item };
    }
    return undefined;
  }

  /** Moves the owner behind all other owners, and the tenant behind the owner's other tenants. */
  #passTurn({ owner, tenant }: Share): void {
    const tenants = this.#owners.get(owner);
    const items = tenants?.get(tenant);
    if (!tenants || !items) return;
    tenants.delete(tenant);
    tenants.set(tenant, items);
    this.#owners.delete(owner);
    this.#owners.set(owner, tenants);
  }
}

function longest<T>(all: Iterable<T>, lengthOf: (one: T) => number): T | undefined {
  let found: T | undefined;
  let length = 0;
  for (const one of all) {
    const its = lengthOf(one);
    if (its > length) [found, length] = [one, its];
  }
  return found;
}

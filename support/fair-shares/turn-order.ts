import type { Share, ShareOwner } from './share.ts';

/** The items of one tenant by run. Items without a run are of one run. */
type ItemsByRun<T> = Map<number | undefined, Set<T>>;

export interface TurnRules {
  /** Whether the next item of a run may start now. */
  mayStart: (share: Share) => boolean;
  /** The level of an owner's recent use, from 0; lower levels come first. */
  levelOf?: (owner: ShareOwner) => number;
  /** Whether a run comes after the other runs of its tenant. */
  isLast?: (share: Share) => boolean;
}

/**
 * The order of waiting items: owners take turns, then the tenants of an owner, then the runs of a tenant, then the
 * oldest item is next. A `Map` keeps insertion order, so its first key has the next turn.
 */
export class TurnOrder<T> {
  readonly #owners = new Map<ShareOwner, Map<string, ItemsByRun<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether items of the owner wait. */
  has(owner: ShareOwner): boolean {
    return this.#owners.has(owner);
  }

  add({ owner, tenant, run }: Share, item: T): void {
    const tenants = this.#owners.get(owner) ?? new Map<string, ItemsByRun<T>>();
    const runs = tenants.get(tenant) ?? new Map<number | undefined, Set<T>>();
    const items = runs.get(run) ?? new Set<T>();
    items.add(item);
    runs.set(run, items);
    tenants.set(tenant, runs);
    this.#owners.set(owner, tenants);
    this.#size++;
  }

  /** Removes an item. The item's owner keeps the turn. */
  remove({ owner, tenant, run }: Share, item: T): void {
    const tenants = this.#owners.get(owner);
    const runs = tenants?.get(tenant);
    const items = runs?.get(run);
    if (!tenants || !runs || !items?.delete(item)) return;
    this.#size--;
    if (items.size === 0) runs.delete(run);
    if (runs.size === 0) tenants.delete(tenant);
    if (tenants.size === 0) this.#owners.delete(owner);
  }

  /**
   * Takes the next item in turn that may start, among the owners with the lowest level. Levels begin at 0.
   */
  take({ mayStart, levelOf = () => 0, isLast }: TurnRules): T | undefined {
    let next: { share: Share; item: T } | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const owner of this.#owners.keys()) {
      const level = levelOf(owner);
      const found = level < lowest ? this.#nextOf(owner, mayStart, isLast) : undefined;
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
    if (tenant !== undefined) return countItems(tenants?.get(tenant));
    let count = 0;
    for (const runs of tenants?.values() ?? []) count += countItems(runs);
    return count;
  }

  /** Finds the newest item of the largest tenant of the owner with the most items. */
  newestOfLongest(): { owner: ShareOwner; item: T } | undefined {
    const owner = longest(this.#owners.keys(), (key) => this.countOf(key));
    if (owner === undefined) return undefined;
    const tenant = longest(this.#owners.get(owner)?.values() ?? [], countItems);
    const items = longest(tenant?.values() ?? [], ({ size }) => size);
    const item = [...(items ?? [])].at(-1);
    return item === undefined ? undefined : { owner, item };
  }

  #nextOf(
    owner: ShareOwner,
    mayStart: TurnRules['mayStart'],
    isLast: TurnRules['isLast'],
  ): { share: Share; item: T } | undefined {
    for (const [tenant, runs] of this.#owners.get(owner) ?? []) {
      let last: { share: Share; item: T } | undefined;
      for (const [run, [item]] of runs) {
        const share: Share = run === undefined ? { owner, tenant } : { owner, tenant, run };
        if (item === undefined || !mayStart(share)) continue;
        if (!isLast?.(share)) return { share, item };
        last ??= { share, item };
      }
      if (last) return last;
    }
    return undefined;
  }

  /** Moves the owner, its tenant and the tenant's run behind the others of each. */
  #passTurn({ owner, tenant, run }: Share): void {
    const tenants = this.#owners.get(owner);
    const runs = tenants?.get(tenant);
    if (!tenants || !runs) return;
    moveLast(runs, run);
    moveLast(tenants, tenant);
    moveLast(this.#owners, owner);
  }
}

function moveLast<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function countItems(runs: ItemsByRun<unknown> | undefined): number {
  let count = 0;
  for (const { size } of runs?.values() ?? []) count += size;
  return count;
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

/** The part of a delivery that its order depends on. */
export interface Queued {
  createdAt: Date;
  _id: number;
  resourceKey: string;
  position: number;
}

/**
 * The deliveries of a subscription in memory. Of each resource one delivery at a time is taken, by position; resources take
 * turns.
 */
export class ResourceQueue<T extends Queued> {
  /** The waiting deliveries of each resource, by position. A resource without waiting deliveries has no entry. */
  readonly #waiting = new Map<string, T[]>();
  /** The delivery of each resource that was taken and has not ended. */
  readonly #taken = new Map<string, T>();

  /** Waiting and taken deliveries. */
  get size(): number {
    let size = this.#taken.size;
    for (const some of this.#waiting.values()) size += some.length;
    return size;
  }

  get taken(): number {
    return this.#taken.size;
  }

  get ids(): number[] {
    return [...[...this.#waiting.values()].flat(), ...this.#taken.values()].map(({ _id }) => _id);
  }

  /** The time of the oldest event; null without a delivery. */
  get oldest(): Date | null {
    const all = [...[...this.#waiting.values()].flat(), ...this.#taken.values()];
    const times = all.map(({ createdAt }) => createdAt.getTime());
    return times.length ? new Date(Math.min(...times)) : null;
  }

  /** Adds deliveries; one that is known already is left out. */
  add(deliveries: readonly T[]): void {
    const known = new Set(this.ids);
    for (const delivery of deliveries) {
      if (known.has(delivery._id)) continue;
      const some = this.#waiting.get(delivery.resourceKey) ?? [];
      some.push(delivery);
      some.sort((a, b) => a.position - b.position);
      this.#waiting.set(delivery.resourceKey, some);
    }
  }

  /** Takes the first delivery of a resource of which none is taken; null without such a resource. */
  take(): T | null {
    for (const [key, [first, ...rest]] of this.#waiting) {
      if (!first || this.#taken.has(key)) continue;
      this.#waiting.delete(key);
      if (rest.length) this.#waiting.set(key, rest); // behind the other resources
      this.#taken.set(key, first);
      return first;
    }
    return null;
  }

  /** Ends a taken delivery. */
  end({ resourceKey }: Queued): void {
    this.#taken.delete(resourceKey);
  }

  /** Takes all waiting deliveries of a resource out of the queue. */
  drop(resourceKey: string): T[] {
    const dropped = this.#waiting.get(resourceKey) ?? [];
    this.#waiting.delete(resourceKey);
    return dropped;
  }

  /** Takes all waiting deliveries out of the queue. */
  clear(): void {
    this.#waiting.clear();
  }
}

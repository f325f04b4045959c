/** The tenants that were added last. */
export class RecentTenants {
  /** The least recently added first: a Set keeps the order of insertion. */
  readonly #tenants = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#tenants.size === 0;
  }

  has(tenant: string): boolean {
    return this.#tenants.has(tenant);
  }

  /** Adds a tenant, and drops the least recently added one beyond the most. */
  add(tenant: string): void {
    this.#tenants.delete(tenant);
    this.#tenants.add(tenant);
    const [oldest] = this.#tenants;
    if (this.#tenants.size > this.#max && oldest !== undefined) this.#tenants.delete(oldest);
  }
}

import { AnalysisCache } from '../../language/analysis-cache.ts';
import { ANALYSED_TENANTS } from '../limits.ts';

/**
 * The analyses of expressions that a child keeps, those of each tenant apart: how long a check takes tells a tenant
 * nothing of the expressions of others.
 */
export class TenantAnalyses {
  /** The caches by tenant, the least recently used first: a Map keeps the order of insertion. */
  readonly #caches = new Map<string, AnalysisCache>();

  of(tenant: string): AnalysisCache {
    const cache = this.#caches.get(tenant) ?? new AnalysisCache();
    this.#caches.delete(tenant);
    this.#caches.set(tenant, cache);
    for (const oldest of this.#caches.keys()) {
      if (this.#caches.size <= ANALYSED_TENANTS) break;
      this.#caches.delete(oldest);
    }
    return cache;
  }

  /** Drops all analyses, which can be made again. */
  clear(): void {
    this.#caches.clear();
  }
}

import { LRUCache } from 'lru-cache';

export interface WorkspaceQuotaOptions {
  /** How much of a workspace the quota allows. */
  limit: number;
  /** What the workspace uses now, by the database. */
  measure: (workspaceId: number) => Promise<number>;
  refusal: () => Error;
  /** How much each use may add after it was let in; a measurement counts for so many uses only. */
  growth?: number;
  now?: () => number;
}

/** Milliseconds for which a measurement counts while less than half of the quota is used; then it is repeated. */
const FAR_MS = 5_000;
/** Milliseconds for which a measurement counts when half of the quota or more is used; then it is repeated. */
const NEAR_MS = 1_000;
/** Workspaces whose use is remembered; beyond it, the least recently used is forgotten and measured anew. */
const MOST_WORKSPACES = 10_000;

/** What this process knows of a workspace's use. */
interface Use {
  measured: number;
  /** When the last measurement began, and how many have. */
  since: number;
  measurements: number;
  /** What this process has let in since. */
  admitted: number;
  /** How many uses that were. */
  admissions: number;
  /** Work that was let in and may not show in the database yet. */
  readonly pending: Set<Promise<void>>;
  measuring?: Promise<void> | undefined;
}

/**
 * A quota of each workspace that costs no query for each use. One process keeps to it exactly: it adds
 * what it lets in to its last measurement, and measures anew before it refuses. Several processes may
 * pass it together, by what they let in between two measurements.
 */
export class WorkspaceQuota {
  readonly #options: WorkspaceQuotaOptions;
  readonly #now: () => number;
  readonly #uses = new LRUCache<number, Use>({ max: MOST_WORKSPACES });

  constructor(options: WorkspaceQuotaOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Does work that uses so much of the workspace's quota, or throws the refusal. */
  async take<T>(workspaceId: number, amount: number, work: () => Promise<T>): Promise<T> {
    const use = this.#useOf(workspaceId);
    const done = await this.#admit(workspaceId, use, amount);
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Resolves when the work may begin, with what to call at its end. */
  async #admit(workspaceId: number, use: Use, amount: number): Promise<() => void> {
    const before = use.measurements;
    for (;;) {
      const measuredSince = use.measurements > before;
      if (use.measuring)
        await use.measuring; // what was let in meanwhile would not be counted
      else if (this.#fits(use, amount) && (measuredSince || this.#isFresh(use)))
        return begin(use, amount);
      else if (measuredSince) throw this.#options.refusal();
      else await this.#measure(workspaceId, use);
    }
  }

  #fits({ measured, admitted }: Use, amount: number): boolean {
    return measured + admitted + amount <= this.#options.limit;
  }

  #isFresh({ since, measured, admitted, admissions }: Use): boolean {
    const { limit, growth = 0 } = this.#options;
    const used = measured + admitted;
    const near = used >= limit / 2;
    const mayHaveFilledHalf = admissions * growth > (limit - used) / 2;
    return !mayHaveFilledHalf && this.#now() - since < (near ? NEAR_MS : FAR_MS);
  }

  /** One measurement at a time. */
  #measure(workspaceId: number, use: Use): Promise<void> {
    use.measuring = this.#measureNow(workspaceId, use).finally(() => {
      use.measuring = undefined;
    });
    return use.measuring;
  }

  /** Measures when all that was let in shows in the database. */
  async #measureNow(workspaceId: number, use: Use): Promise<void> {
    await Promise.all(use.pending);
    const since = this.#now();
    use.measurements++;
    const measured = await this.#options.measure(workspaceId);
    Object.assign(use, { measured, since, admitted: 0, admissions: 0 });
  }

  #useOf(workspaceId: number): Use {
    const known = this.#uses.get(workspaceId);
    if (known) return known;
    const since = Number.NEGATIVE_INFINITY;
    const use = {
      measured: 0,
      since,
      measurements: 0,
      admitted: 0,
      admissions: 0,
      pending: new Set<Promise<void>>(),
    };
    this.#uses.set(workspaceId, use);
    return use;
  }
}

/** At once with the decision: who comes next decides by it. */
function begin(use: Use, amount: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  use.admitted += amount;
  use.admissions++;
  use.pending.add(promise);
  return () => {
    use.pending.delete(promise);
    resolve();
  };
}

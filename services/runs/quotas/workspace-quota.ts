import { lruCache } from '../../../support/lru-cache.ts';

export interface WorkspaceQuotaOptions {
  /** The amount that the quota allows each workspace. */
  limit: number;
  /** Reads the present use of the workspace from the database. */
  measure: (workspaceId: number) => Promise<number>;
  refusal: () => Error;
  /** The amount by which each use may grow after its admission; growth makes measurements more frequent. */
  growth?: number;
  /**
   * Whether a workspace counts as unused until its first measurement is due: until then, the uses of other processes and
   * those before this process remembers the workspace are left out.
   */
  beginsUnused?: boolean;
  now?: () => number;
}

/** Milliseconds until a measurement is repeated while less than half of the quota is used. */
const FAR_FROM_LIMIT_MS = 5_000;
/** Milliseconds until a measurement is repeated when half of the quota or more is used. */
const NEAR_LIMIT_MS = 1_000;
/** Workspaces whose use is remembered. Beyond this number the least recently used workspace is forgotten. */
const MAX_WORKSPACES = 10_000;

/** The use of a workspace, as this process knows it. */
interface Use {
  measured: number;
  /** When the last measurement began, in milliseconds of `now`. */
  since: number;
  /** The number of measurements that have begun. */
  measurements: number;
  /** The amount that this process has admitted since the last measurement. */
  admitted: number;
  /** The number of uses that this process has admitted since the last measurement. */
  admissions: number;
  /** Admitted work that may not show in the database yet. */
  readonly pending: Set<Promise<void>>;
  measuring?: Promise<void> | undefined;
}

/**
 * A quota of each workspace that needs no query for each use. One process keeps the quota exactly: the process adds the
 * uses that it admits to its last measurement, and measures anew before it refuses a use. Several processes may exceed
 * the quota together, by the uses that they admit between two measurements.
 */
export class WorkspaceQuota {
  readonly #options: WorkspaceQuotaOptions;
  readonly #now: () => number;
  readonly #uses = lruCache<number, Use>(MAX_WORKSPACES);

  constructor(options: WorkspaceQuotaOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Does work that uses `amount` of the workspace's quota, or throws the refusal. */
  async take<T>(workspaceId: number, amount: number, work: () => Promise<T>): Promise<T> {
    const use = this.#useOf(workspaceId);
    const done = await this.#admit(workspaceId, use, amount);
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Resolves when the work may begin, with a function to call at its end. */
  async #admit(workspaceId: number, use: Use, amount: number): Promise<() => void> {
    const before = use.measurements;
    for (;;) {
      const measuredSince = use.measurements > before;
      if (use.measuring)
        await use.measuring; // a use admitted meanwhile would not be counted
      else if (this.#fits(use, amount) && (measuredSince || this.#isFresh(use)))
        return begin(use, amount);
      else if (measuredSince) return this.#refuse(use);
      else await this.#measure(workspaceId, use);
    }
  }

  /** Refuses once all admitted work has ended: the refused caller then finds the work of its other attempt. */
  async #refuse({ pending }: Use): Promise<never> {
    await Promise.all(pending);
    throw this.#options.refusal();
  }

  #fits({ measured, admitted }: Use, amount: number): boolean {
    return measured + admitted + amount <= this.#options.limit;
  }

  #isFresh({ since, measured, admitted, admissions }: Use): boolean {
    const { limit, growth = 0 } = this.#options;
    const used = measured + admitted;
    const near = used >= limit / 2;
    const mayHaveFilledHalf = admissions * growth > (limit - used) / 2;
    return !mayHaveFilledHalf && this.#now() - since < (near ? NEAR_LIMIT_MS : FAR_FROM_LIMIT_MS);
  }

  /** Measures the workspace; one measurement is in flight at a time. */
  #measure(workspaceId: number, use: Use): Promise<void> {
    use.measuring = this.#measureNow(workspaceId, use).finally(() => {
      use.measuring = undefined;
    });
    return use.measuring;
  }

  /** Measures once all admitted work has ended, so that the database contains it. */
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
    const since = this.#options.beginsUnused ? this.#now() : Number.NEGATIVE_INFINITY;
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

/** Counts an admitted use. No `await` may come between the decision and this call. */
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

import type { Attempt, IdempotencyRecords } from './idempotency.ts';

type Lease = Pick<Attempt, 'id' | 'lease'>;

/** Milliseconds between two tries to give leases back. */
const RETRY_MS = 500;
/** Leases that one command gives back. */
const MAX_BATCH = 1_000;
/** Leases that are remembered. Beyond them a lease runs out by itself. */
const MAX_PENDING = 10_000;

/**
 * The leases that could not be given back, because the database was away. They are given back when it is there again,
 * unless they have run out by then, so that a repeat of the request need not wait for that.
 */
export class PendingReleases {
  readonly #records: Pick<IdempotencyRecords, 'release'>;
  readonly #leaseMs: number;
  /** When the lease has run out by the clock of this process, by lease. */
  readonly #pending = new Map<Lease, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param leaseMs milliseconds after which a lease that nobody renews has run out */
  constructor(records: Pick<IdempotencyRecords, 'release'>, leaseMs: number) {
    this.#records = records;
    this.#leaseMs = leaseMs;
  }

  add({ id, lease }: Lease): void {
    if (this.#pending.size >= MAX_PENDING) return;
    this.#pending.set({ id, lease }, performance.now() + this.#leaseMs);
    this.#timer ??= setTimeout(() => void this.#release(), RETRY_MS).unref();
  }

  async #release(): Promise<void> {
    for (const [lease, end] of this.#pending) {
      if (end < performance.now()) this.#pending.delete(lease);
    }
    const batch = [...this.#pending.keys()].slice(0, MAX_BATCH);
    const isDone = await this.#records.release(batch).then(
      () => true,
      () => false, // the first failure is in the log
    );
    if (isDone) for (const lease of batch) this.#pending.delete(lease);
    this.#timer = undefined;
    if (this.#pending.size) this.#timer = setTimeout(() => void this.#release(), RETRY_MS).unref();
  }
}

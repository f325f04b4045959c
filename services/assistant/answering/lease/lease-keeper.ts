import { isDatabaseAway } from '../../../../support/database-outage.ts';
import { type Lease, renew } from './conversation-lease.ts';

/** Milliseconds between two renewals, a third of the lease. */
const RENEWAL_MS = 3_000;
/** Milliseconds without a renewal after which the lease counts as lost, before others take it over. */
const LOST_AFTER_MS = 8_000;

/** Keeps the lease of an answer, and interrupts the answer when the lease is lost. */
export class LeaseKeeper {
  readonly #lease: Lease;
  readonly #onLost: () => void;
  readonly #onRenewal: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #renewedAt = performance.now();
  #isRenewing = false;

  /** `onRenewal` is called with each renewal, to save what there is of the answer. */
  constructor(
    lease: Lease,
    onLost: () => void = () => undefined,
    onRenewal: () => Promise<void> = async () => undefined,
  ) {
    this.#lease = lease;
    this.#onLost = onLost;
    this.#onRenewal = onRenewal;
    this.#timer = setInterval(() => void this.#renew(), RENEWAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    if (performance.now() - this.#renewedAt > LOST_AFTER_MS) this.#lose();
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const sentAt = performance.now();
    try {
      if (!(await renew(this.#lease))) this.#lose();
      this.#renewedAt = sentAt;
      await this.#onRenewal();
    } catch (error) {
      if (!isDatabaseAway(error)) this.#lose();
    } finally {
      this.#isRenewing = false;
    }
  }

  #lose(): void {
    this.stop();
    this.#onLost();
  }
}

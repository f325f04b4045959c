import type { ReadyRun } from './ready-runs.ts';
import type { ClaimedRun, RunClaimer } from './run-claimer.ts';

export interface ClaimLoopOptions {
  claims: RunClaimer;
  /** Whether this worker may claim runs and has room for an owner without a run here. */
  mayClaim: () => boolean;
  begin: (claimed: ClaimedRun) => void;
  onError: (error: unknown) => void;
}

/** Claims runs while runs may be ready and this process has room for them. One pass is under way at a time. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  #isWanted = false;
  #pass: Promise<void> | null = null;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
  }

  /** Whether a pass is under way. */
  get isClaiming(): boolean {
    return this.#pass !== null;
  }

  /** Waits for the pass under way and for up to `passes - 1` passes that follow it without a pause. */
  async waitForPasses(passes: number): Promise<true> {
    for (let pass = 0; pass < passes; pass++) await this.#pass;
    return true;
  }

  /** Reads the list of ready runs again, because runs may have become ready, and claims. */
  wake(): void {
    this.#options.claims.invalidateReadyList();
    this.claimMore();
  }

  /** Adds a ready run to the list, and claims. `renewals` counts the reads of the list before the run's write. */
  wakeFor(run: ReadyRun, renewals: number): void {
    this.#options.claims.addReadyRun(run, renewals);
    this.claimMore();
  }

  /** Claims as many runs as there is room for, by the list of ready runs as it is. */
  claimMore(): void {
    const { claims, mayClaim } = this.#options;
    this.#isWanted = true;
    if (this.#pass || !mayClaim()) return;
    this.#isWanted = false;
    if (!claims.mayFindRun) return;
    this.#pass = this.#claimAll()
      .catch((error) => this.#handleError(error))
      .finally(() => {
        this.#pass = null;
        if (this.#isWanted) this.claimMore();
      });
  }

  /**
   * Reports a failed pass. The next call, such as the poll's, starts a pass: an immediate pass could fail without
   * end.
   */
  #handleError(error: unknown): void {
    this.#isWanted = false;
    this.#options.onError(error);
  }

  async #claimAll(): Promise<void> {
    const { claims, mayClaim, begin } = this.#options;
    while (mayClaim()) {
      const claimed = await claims.claimNext();
      if (!claimed.length) return;
      for (const one of claimed) begin(one);
    }
  }
}

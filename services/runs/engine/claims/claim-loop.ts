import type { RunDocument } from '../../../../models/run.model.ts';
import type { ClaimedRun, RunClaimer } from './run-claimer.ts';

export interface ClaimLoopOptions {
  claims: RunClaimer;
  /** Whether this worker may claim at all, and has room for anybody. */
  mayClaim: () => boolean;
  begin: (claimed: ClaimedRun) => void;
  onError: (error: unknown) => void;
}

/** Claims runs while some may be ready and there is room for them, in one pass at a time. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  #isWanted = false;
  #pass: Promise<void> | null = null;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
  }

  /** Whether claims are being made. */
  get isClaiming(): boolean {
    return this.#pass !== null;
  }

  /** Resolves at the end of the pass under way, or of so many that follow each other at once. */
  async waitForPasses(passes: number): Promise<true> {
    for (let pass = 0; pass < passes; pass++) await this.#pass;
    return true;
  }

  /** Runs may have become ready. */
  wake(): void {
    this.#options.claims.invalidateReadyList();
    this.claimMore();
  }

  /** This run has become ready. Its write began after so many renewals of the list. */
  wakeFor(run: RunDocument, renewals: number): void {
    this.#options.claims.addReadyRun(run, renewals);
    this.claimMore();
  }

  /** Claims as many runs as there is room for. Without news, only those that are known to be ready. */
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

  /** A failed pass is followed by none until there is news, as of the poll: it might fail at once, for ever. */
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

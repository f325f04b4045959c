import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../../models/run.model.ts';
import type { Admission } from './admission.ts';
import type { ClaimedRun, Claims } from './claim.ts';
import { claimedRun } from './claim-commands.ts';
import type { ClaimLoop } from './claim-loop.ts';
import type { Reservation } from './reservation.ts';
import { shareOfRun } from './run-share.ts';

/** Milliseconds that a start waits for the claims under way; then its run is stored as a ready one. */
const CLAIMS_TIMEOUT_MS = 200;

/** Writes a new run to the database. */
export type StoreRun = (run: RunDocument) => Promise<unknown>;

export interface RunStarterOptions {
  claims: Claims;
  loop: ClaimLoop;
  admission: Admission;
  /** The name under which runs are claimed; null while none may be claimed. */
  worker: () => string | null;
  begin: (claimed: ClaimedRun) => void;
  /** Tells other processes that the run is ready. */
  announceReady: (runId: number) => void;
}

/**
 * Stores new runs. One that may begin here at once is written with its claim. A run is ready for any
 * worker where this one has no room for it, or where it would pass a run that waits.
 */
export class RunStarter {
  readonly #options: RunStarterOptions;

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** Returns the run as it is stored. */
  async store(run: RunDocument, storeRun: StoreRun): Promise<RunDocument> {
    const { claims, loop, worker } = this.#options;
    if (loop.isClaiming && !claims.isSeeking) await this.#claimsEnded();
    const name = worker();
    const reservation = name && this.#reserveFor(run);
    if (reservation) return this.#storeClaimed(claimedRun(run, name), reservation, storeRun);
    await storeRun(run);
    void this.#claimOrAnnounce(run);
    return run;
  }

  async #claimsEnded(): Promise<void> {
    const limit = new AbortController();
    const { signal } = limit;
    const timeout = sleep(CLAIMS_TIMEOUT_MS, undefined, { signal }).catch(() => undefined);
    await Promise.race([this.#options.loop.passEnded(), timeout]);
    limit.abort();
  }

  /** The room is taken before the write: two starts never get the last of it. */
  #reserveFor(run: RunDocument): Reservation | null {
    const { claims, loop, admission } = this.#options;
    const share = shareOfRun(run);
    if (loop.isClaiming || !claims.mayPassReady(share.owner)) return null;
    return admission.reserve(share);
  }

  /** A run whose write fails may be stored nevertheless: then the sweep finds it. */
  async #storeClaimed(
    run: RunDocument,
    reservation: Reservation,
    storeRun: StoreRun,
  ): Promise<RunDocument> {
    try {
      await storeRun(run);
    } catch (error) {
      reservation.end();
      throw error;
    }
    this.#options.begin({ run, reservation });
    return run;
  }

  /** Tells other workers only of a run that this one could not claim. */
  async #claimOrAnnounce(run: RunDocument): Promise<void> {
    const { claims, loop, announceReady } = this.#options;
    loop.wakeFor(run);
    await loop.passEnded();
    await loop.passEnded(); // one that was under way before did not know the run
    if (claims.mayBeReady(run._id)) announceReady(run._id);
  }
}

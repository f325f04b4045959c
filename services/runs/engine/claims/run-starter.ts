import { setTimeout as sleep } from 'node:timers/promises';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { RunDocument } from '../../../../models/run.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';
import type { Admission } from '../admission/admission.ts';
import type { Reservation } from '../admission/reservation.ts';
import { shareOfRun } from '../admission/run-share.ts';
import { isLateClaim } from '../lease/idle-runs.ts';
import type { WakingWrites } from '../mailbox/notify-run.ts';
import type { FlowPermits } from '../permits/flow-permits.ts';
import { toClaimedRun } from './claim-commands.ts';
import type { ClaimLoop } from './claim-loop.ts';
import type { ReadyRun } from './ready-runs.ts';
import type { ClaimedRun, RunClaimer } from './run-claimer.ts';

/**
 * Milliseconds that a start, or the announcement of its run, waits for the claims under way. Then the run is
 * stored as a ready run, or announced to the other processes.
 */
const CLAIMS_TIMEOUT_MS = 200;

/** What a wake has to know of a run that waits. */
export type WaitingRun = Omit<ReadyRun, 'readyAt'>;

/** Writes a new run to the database. */
export type StoreRun = (run: RunDocument) => Promise<unknown>;

export interface RunStarterOptions {
  claims: RunClaimer;
  loop: ClaimLoop;
  admission: Admission;
  permits: Pick<FlowPermits, 'request'>;
  /** The name under which runs are claimed; null while this worker may not claim. */
  worker: () => string | null;
  /** Begins a claimed run. `isFromHere` tells that this process has stored it. */
  begin: (claimed: ClaimedRun, isFromHere: boolean) => void;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
  /** Milliseconds that a start waits for the claims under way; by default `CLAIMS_TIMEOUT_MS`. */
  claimsTimeoutMs?: number | undefined;
  /** Announces to other processes that the run is ready. */
  announceReady: (runId: number) => void;
}

/**
 * Stores new runs, and wakes runs that wait. A run that may begin here at once is written with its claim. A run is
 * written as ready, for any worker, where this process has no room for it, where it would pass a ready run, or while
 * claims take long.
 */
export class RunStarter {
  readonly #options: RunStarterOptions;
  /** The number of ready runs that are being written, by owner. */
  readonly #queuing = new Map<ShareOwner, number>();

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** Stores the run, and begins a run that was stored with its claim. Returns the stored run. */
  async store(run: RunDocument, storeRun: StoreRun): Promise<RunDocument> {
    const { claims, worker } = this.#options;
    if (run.permitRequestedAt) return this.#storeLimited(run, storeRun);
    // While claims seek in the index, no start passes ready runs, so that waiting for claims has no use.
    if (!claims.isSeeking) await this.#waitForClaims();
    const name = worker();
    const reservation = name && this.#reserveFor(run);
    if (!reservation) {
      await this.#writeReady(run, async () => {
        await storeRun(run);
        return true;
      });
      return run;
    }
    const claimed = toClaimedRun(run, name);
    const store = async () => {
      await storeRun(claimed);
      return claimed;
    };
    await this.#writeClaimed(reservation, store, true);
    return claimed;
  }

  /** Wakes the run, and goes on with a run that was woken with its claim. Resolves whether the run has waited. */
  async wake(run: WaitingRun, { claim, makeReady }: WakingWrites): Promise<boolean> {
    const name = this.#options.worker();
    const reservation = name && this.#reserveFor(run);
    if (reservation) return this.#writeClaimed(reservation, () => claim(name), false);
    const { _id, shareOwner, workspaceId, createdAt } = run;
    const ready = { _id, shareOwner, workspaceId, createdAt, readyAt: databaseClock.date() };
    return this.#writeReady(ready, makeReady);
  }

  /** Stores a run that is ready once the run has a permit of its flow. */
  async #storeLimited(run: RunDocument, storeRun: StoreRun): Promise<RunDocument> {
    await storeRun(run);
    this.#options.permits.request(run);
    return run;
  }

  /** Waits until `passes` passes of the claim loop have ended. Returns false after `claimsTimeoutMs`. */
  async #waitForClaims(passes = 1): Promise<boolean> {
    const { loop, claimsTimeoutMs = CLAIMS_TIMEOUT_MS } = this.#options;
    if (!loop.isClaiming) return true;
    const limit = new AbortController();
    const { signal } = limit;
    const timeout = sleep(claimsTimeoutMs, false, { signal }).catch(() => false);
    const ended = await Promise.race([loop.waitForPasses(passes), timeout]);
    limit.abort('ended'); // without a reason, each abort would create an error and its stack
    return ended;
  }

  /** Reserves the room before the write, so that two starts never get the same room. */
  #reserveFor(run: WaitingRun): Reservation | null {
    const { claims, loop, admission } = this.#options;
    const share = shareOfRun(run);
    if (loop.isClaiming || this.#queuing.has(share.owner)) return null;
    return claims.mayPassReady(share.owner) ? admission.reserve(share) : null;
  }

  /**
   * Writes a run with its claim, and begins it; false where the write finds no run. The sweep finds a run whose write was
   * late, or failed although it was carried out.
   */
  async #writeClaimed(
    reservation: Reservation,
    write: () => Promise<RunDocument | null>,
    isFromHere: boolean,
  ): Promise<boolean> {
    const { begin, now = () => performance.now() } = this.#options;
    const sentAt = now();
    let run: RunDocument | null = null;
    try {
      run = await write();
    } finally {
      if (!run || isLateClaim(sentAt, now())) reservation.release();
      else begin({ run, reservation }, isFromHere);
    }
    return run !== null;
  }

  /** Writes a run as ready; false where the write finds no run. No other run of the owner passes it during the write. */
  async #writeReady(run: ReadyRun, write: () => Promise<boolean>): Promise<boolean> {
    const { owner } = shareOfRun(run);
    const { renewals } = this.#options.claims;
    this.#countQueuing(owner, 1);
    let isWritten = false;
    try {
      isWritten = await write();
    } finally {
      this.#countQueuing(owner, -1);
    }
    if (isWritten) void this.#offerRun(run, renewals);
    return isWritten;
  }

  #countQueuing(owner: ShareOwner, more: 1 | -1): void {
    const runs = (this.#queuing.get(owner) ?? 0) + more;
    if (runs > 0) this.#queuing.set(owner, runs);
    else this.#queuing.delete(owner);
  }

  /** Offers the run to this worker, and to the other workers when this worker does not claim the run soon. */
  async #offerRun(run: ReadyRun, renewals: number): Promise<void> {
    const { claims, loop, announceReady } = this.#options;
    loop.wakeFor(run, renewals);
    // The pass under way may not know the run; the next pass does.
    const isDecided = await this.#waitForClaims(2);
    if (!isDecided || claims.mayBeReady(run._id)) announceReady(run._id);
  }
}

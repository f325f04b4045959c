import { ROLLUP_PENDING } from '../../../models/run.model.ts';
import { findPendingIds } from './pending-rollups.ts';
import type { RollupPending } from './rollup-kinds.ts';

/** Milliseconds between two checks at least; longer than the pauses of an active scheduler. */
const CHECK_MS = 1_000;
/** Random milliseconds that are added at most, so that several schedulers do not take over at the same moment. */
const JITTER_MS = 500;
/** Runs of each flag that a check reads at most. The next round of an active scheduler adds them. */
const CHECK_RUNS = 10;
const FLAGS: readonly RollupPending[] = [ROLLUP_PENDING.creation, ROLLUP_PENDING.end];

/**
 * Detects that no process writes rollups. Each check reads the runs that a round would begin with. A run
 * that has the same flag at two checks in a row shows that no rollup was written for a second.
 */
export class Standby {
  #pending: ReadonlySet<string> = new Set();

  /** Milliseconds until the next check. */
  get pauseMs(): number {
    return CHECK_MS + Math.random() * JITTER_MS;
  }

  /** Returns whether no process has written rollups since the last check. */
  async check(): Promise<boolean> {
    const before = this.#pending;
    const pending = await Promise.all(FLAGS.map(findPendingKeys));
    this.#pending = new Set(pending.flat());
    return !this.#pending.isDisjointFrom(before);
  }
}

const findPendingKeys = async (flag: RollupPending): Promise<string[]> =>
  (await findPendingIds(flag, CHECK_RUNS)).map((runId) => `${flag}/${runId}`);

import { EvaluationError } from '@workspace-automation/flow-language';
import { RecentCounts } from './recent-counts.ts';
import type { Share } from './share.ts';

/** Expressions of an owner that met a limit within a minute. From this number on the owner is in quarantine. */
const MAX_OF_OWNER = 3;

/** CPU time of the start of a child, in milliseconds. An expression that meets a limit ends its child. */
export const NEW_CHILD_MS = 150;

export const hasMetLimit = (error: unknown): boolean =>
  error instanceof EvaluationError &&
  (error.code === 'EXPRESSION_TIMEOUT' || error.code === 'EXPRESSION_OUT_OF_MEMORY');

const runKey = (run: number): string => `run ${run}`;

/**
 * The runs whose expressions met a limit of the sandbox within the last minute, and the owners with several of them.
 * Each such expression takes a child for a quarter of a second, and ends the child.
 */
export class Quarantine {
  readonly #counts: RecentCounts;

  /** `now` is a monotonic clock, in ms. */
  constructor(now?: () => number) {
    this.#counts = new RecentCounts(now);
  }

  /** Notes that an expression has met a limit. */
  note({ owner, run }: Share): void {
    this.#counts.add(owner);
    if (run !== undefined) this.#counts.add(runKey(run));
  }

  hasRun(run: number | undefined): boolean {
    return run !== undefined && this.#counts.of(runKey(run)) > 0;
  }

  /** Whether the expressions of a share share one place with all others in quarantine. */
  has({ owner, run }: Share): boolean {
    return this.hasRun(run) || this.#counts.of(owner) >= MAX_OF_OWNER;
  }
}

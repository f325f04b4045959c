import { lruCache } from '../../../../support/lru-cache.ts';
import type { RunKind } from './ready-runs.ts';

/** Workspaces whose last claims are remembered; a forgotten workspace begins with a new run. */
const MAX_WORKSPACES = 10_000;
/** Milliseconds for which claims do not seek a kind that a workspace lacked, unless it lacks the other kind as well. */
const MISS_TTL_MS = 100;

interface Turn {
  last?: RunKind;
  missing?: RunKind;
  /** The time of the miss, by `now`. */
  missedAt: number;
}

/**
 * The turns of new and resumed runs in each workspace. They take turns, so that thousands of waits that end together
 * hold up no new run, and a flood of new runs holds up no wait.
 */
export class KindTurns {
  readonly #now: () => number;
  readonly #turns = lruCache<number, Turn>(MAX_WORKSPACES);

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The kind of the next claim in the workspace. */
  nextOf(workspaceId: number): RunKind {
    return this.#turns.get(workspaceId)?.last === 'new' ? 'resumed' : 'new';
  }

  /** The kinds in the order in which a claim seeks them. */
  orderOf(workspaceId: number): readonly [RunKind, RunKind] {
    const next = this.nextOf(workspaceId);
    const { missing, missedAt = 0 } = this.#turns.get(workspaceId) ?? {};
    const isMissing = missing === next && this.#now() - missedAt < MISS_TTL_MS;
    return isMissing ? [otherThan(next), next] : [next, otherThan(next)];
  }

  noteClaim(workspaceId: number, kind: RunKind): void {
    this.#turns.set(workspaceId, { missedAt: 0, ...this.#turns.get(workspaceId), last: kind });
  }

  noteMissing(workspaceId: number, missing: RunKind): void {
    const missedAt = this.#now();
    this.#turns.set(workspaceId, { ...this.#turns.get(workspaceId), missing, missedAt });
  }
}

const otherThan = (kind: RunKind): RunKind => (kind === 'new' ? 'resumed' : 'new');

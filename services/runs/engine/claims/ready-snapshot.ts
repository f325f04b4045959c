import { RunModel } from '../../../../models/run.model.ts';
import type { ShareOwner } from '../../../../support/fair-shares/share.ts';
import {
  CLAIM_ORDER,
  kindOf,
  type ReadyOwner,
  type ReadyRun,
  type ReadyRuns,
  type RunKind,
} from './ready-runs.ts';

/** The most ready runs of a snapshot. A snapshot with as many runs is incomplete, and no claim uses it. */
export const MAX_SNAPSHOT_RUNS = 50;

/** The fields of a listed run. An index has all of them. */
export const LISTED_FIELDS = { shareOwner: 1, workspaceId: 1, createdAt: 1, readyAt: 1 } as const;

/**
 * The ready runs of one moment, listed by one query. The claims that follow remove their runs from the
 * list. Other workers may have claimed some of the listed runs meanwhile.
 */
export class ReadySnapshot implements ReadyRuns {
  /** The listed runs, in the order of claims. */
  #runs: readonly ReadyRun[];

  constructor(runs: readonly ReadyRun[]) {
    this.#runs = runs;
  }

  static async take(): Promise<ReadySnapshot> {
    // MongoDB answers this query from the index on `ready` alone; the embedded database reads the runs as well.
    const query = RunModel.find({ ready: true }, LISTED_FIELDS)
      .sort(CLAIM_ORDER)
      .limit(MAX_SNAPSHOT_RUNS);
    return new ReadySnapshot(await query.lean<ReadyRun[]>());
  }

  /** Whether the list holds every ready run. */
  get isComplete(): boolean {
    return this.#runs.length < MAX_SNAPSHOT_RUNS;
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  get runs(): readonly ReadyRun[] {
    return this.#runs;
  }

  owners(last: ShareOwner | undefined): ReadyOwner[] {
    const firstWorkspaces = new Map<ShareOwner, number>();
    for (const { shareOwner, workspaceId } of this.#runs)
      if (!firstWorkspaces.has(shareOwner)) firstWorkspaces.set(shareOwner, workspaceId);
    const isAfterLast = (owner: ShareOwner) => last === undefined || owner > last;
    return orderByTurn(firstWorkspaces.keys(), isAfterLast).map((owner) => ({
      owner,
      firstWorkspaceId: firstWorkspaces.get(owner) ?? 0,
    }));
  }

  workspaces({ owner }: ReadyOwner, last: number): number[] {
    const ids = new Set<number>();
    for (const run of this.#runs) if (run.shareOwner === owner) ids.add(run.workspaceId);
    return orderByTurn(ids, (workspaceId) => workspaceId > last);
  }

  oldestOf(owner: ShareOwner, workspaceId: number, wanted: RunKind): ReadyRun | null {
    const runs = this.runsOf(owner, workspaceId);
    return runs.find((run) => kindOf(run) === wanted) ?? runs[0] ?? null;
  }

  /** Adds a run that became ready after the query. */
  add(run: ReadyRun): void {
    this.#runs = [...this.#runs, run].sort(compareClaims);
  }

  remove(runId: number): void {
    this.#runs = this.#runs.filter(({ _id }) => _id !== runId);
  }

  runsOf(owner: ShareOwner, workspaceId: number, kind?: RunKind): ReadyRun[] {
    const isOfKind = (run: ReadyRun) => kind === undefined || kindOf(run) === kind;
    return this.#runs.filter(
      (run) => run.shareOwner === owner && run.workspaceId === workspaceId && isOfKind(run),
    );
  }
}

/** Orders runs as the index on `ready` does. */
function compareClaims(a: ReadyRun, b: ReadyRun): number {
  if (a.shareOwner !== b.shareOwner) return a.shareOwner < b.shareOwner ? -1 : 1;
  return (
    a.workspaceId - b.workspaceId ||
    (a.readyAt?.getTime() ?? 0) - (b.readyAt?.getTime() ?? 0) ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    a._id - b._id
  );
}

/** Moves the keys after the last turn to the front. Both parts keep their order. */
function orderByTurn<K>(ordered: Iterable<K>, isAfterLast: (key: K) => boolean): K[] {
  const { after = [], others = [] } = Object.groupBy(ordered, (key) =>
    isAfterLast(key) ? 'after' : 'others',
  );
  return [...after, ...others];
}

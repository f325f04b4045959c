import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { CLAIM_ORDER, type ReadyOwner, type ReadyRuns, type StoredOwner } from './ready-runs.ts';

/** Ready runs that one query lists at most. With so many a snapshot is incomplete, and serves no claim. */
export const SNAPSHOT_RUNS = 50;

type ReadyRun = Pick<RunDocument, '_id' | 'shareOwner' | 'workspaceId'>;

/**
 * The ready runs of one moment, listed by one query. The claims that follow remove what they take from the
 * list. Other workers may have claimed some of the listed runs meanwhile.
 */
export class ReadySnapshot implements ReadyRuns {
  /** Whether the query found every ready run. */
  readonly isComplete: boolean;
  /** How many ready runs each workspace of each owner has, in the order of claims. */
  readonly #counts = new Map<StoredOwner, Map<number, number>>();

  constructor(runs: readonly ReadyRun[]) {
    this.isComplete = runs.length < SNAPSHOT_RUNS;
    for (const { shareOwner = null, workspaceId } of runs) {
      const ofOwner = this.#counts.get(shareOwner) ?? new Map<number, number>();
      this.#counts.set(shareOwner, ofOwner);
      ofOwner.set(workspaceId, (ofOwner.get(workspaceId) ?? 0) + 1);
    }
  }

  static async take(): Promise<ReadySnapshot> {
    // MongoDB answers this from the index on `ready` alone; the embedded database reads the runs as well.
    const fields = { shareOwner: 1, workspaceId: 1 } as const;
    const query = RunModel.find({ ready: true }, fields).sort(CLAIM_ORDER).limit(SNAPSHOT_RUNS);
    return new ReadySnapshot(await query.lean<ReadyRun[]>());
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  owners(last: StoredOwner | undefined): ReadyOwner[] {
    const isAfterLast = (owner: StoredOwner) => last === undefined || (owner ?? '') > (last ?? '');
    return inTurn(this.#counts, isAfterLast).map((owner) => {
      const [firstWorkspaceId = 0] = this.#counts.get(owner)?.keys() ?? [];
      return { owner, firstWorkspaceId };
    });
  }

  workspaces({ owner }: ReadyOwner, last: number): number[] {
    return inTurn(this.#counts.get(owner) ?? new Map(), (workspaceId) => workspaceId > last);
  }

  remove(owner: StoredOwner, workspaceId: number, all: boolean): void {
    const ofOwner = this.#counts.get(owner);
    const count = ofOwner?.get(workspaceId) ?? 0;
    if (!all && count > 1) ofOwner?.set(workspaceId, count - 1);
    else ofOwner?.delete(workspaceId);
    if (ofOwner?.size === 0) this.#counts.delete(owner);
  }
}

/** The keys, which are in order: those after the last turn first, then the others. */
function inTurn<K>(ordered: ReadonlyMap<K, unknown>, isAfterLast: (key: K) => boolean): K[] {
  const { after = [], others = [] } = Object.groupBy(ordered.keys(), (key) =>
    isAfterLast(key) ? 'after' : 'others',
  );
  return [...after, ...others];
}

import type { RollupDocument } from '../../../models/rollup.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { findPendingAmong, idsOf } from './pending-rollups.ts';
import type { RollupKind, RollupPending } from './rollup-kinds.ts';
import { findApplied } from './rollup-store.ts';

/** The state of a rollup that a writer knows. */
export interface RollupState {
  version: number;
  /** The runs in `applied` whose flag may not be cleared yet. */
  pending: ReadonlySet<number>;
  /** The runs in `applied` whose flag is cleared, and since when this process knows that, by its own clock. */
  cleared: ReadonlyMap<number, number>;
}

/** The runs of a batch that belong to one rollup of their flag. */
export interface RollupAddition {
  flag: RollupPending;
  kind: RollupKind;
  /** The id of the rollup. */
  id: string;
  runs: readonly RunDocument[];
}

/** The update of a rollup at `version` by the runs that are not in it yet, which may be none. */
export interface RollupChange extends RollupAddition {
  version: number;
  after: RollupState;
}

/** Milliseconds for which a cleared run stays in `applied` at least: a reader's two reads take less. */
const APPLIED_KEPT_MS = 1_000;
/** The latest cleared runs that stay in `applied` for longer: where few runs end, slow readers find them. */
const APPLIED_KEPT_LATEST = 100;
/** The latest cleared runs that a writer keeps of another writer's `applied`, whose times are unknown to it. */
const APPLIED_TAKEN_OVER = 500;

/**
 * Plans the addition of those runs that are not in the rollup yet. Runs leave `applied` `APPLIED_KEPT_MS` after
 * their flag was cleared, except for the latest.
 */
export function planChange(
  addition: RollupAddition,
  state: RollupState,
  now: number,
): RollupChange {
  const { version, pending, cleared } = state;
  const runs = addition.runs.filter(({ _id }) => !pending.has(_id) && !cleared.has(_id));
  if (!runs.length) return { ...addition, runs, version, after: state };
  const isKept = ([, since]: [number, number], at: number) =>
    now - since < APPLIED_KEPT_MS || at >= cleared.size - APPLIED_KEPT_LATEST;
  const after = {
    version: version + 1,
    pending: new Set([...pending, ...idsOf(runs)]),
    cleared: new Map([...cleared].filter(isKept)),
  };
  return { ...addition, runs, version, after };
}

/** Reads the rollups, and plans the addition of those runs that still have the flag. */
export async function readAndPlanChanges(
  additions: readonly RollupAddition[],
  now: number,
): Promise<RollupChange[]> {
  const found = await findApplied(additions.map(({ id }) => id));
  const rollups = new Map(found.map((rollup) => [rollup._id, rollup]));
  const pendingByFlag = await findPendingRunsOf(additions, rollups);
  return additions.map((addition) => {
    const { version = 0, applied = [] } = rollups.get(addition.id) ?? {};
    const isPending = (run: number) => pendingByFlag[addition.flag]?.has(run) ?? false;
    const runs = addition.runs.filter(({ _id }) => isPending(_id));
    const pending = new Set(applied.filter(isPending));
    const others = applied.filter((run) => !isPending(run)).slice(-APPLIED_TAKEN_OVER);
    const cleared = new Map(others.map((run) => [run, now]));
    return planChange({ ...addition, runs }, { version, pending, cleared }, now);
  });
}

/** Finds those of the runs to add, and of the runs in `applied`, that still have the flag of their rollup. */
async function findPendingRunsOf(
  additions: readonly RollupAddition[],
  rollups: ReadonlyMap<string, Pick<RollupDocument, 'applied'>>,
): Promise<Partial<Record<RollupPending, Set<number>>>> {
  const pending: Partial<Record<RollupPending, Set<number>>> = {};
  for (const [flag, ofFlag] of Map.groupBy(additions, (addition) => addition.flag)) {
    const ids = ofFlag.flatMap(({ id, runs }) => [
      ...idsOf(runs),
      ...(rollups.get(id)?.applied ?? []),
    ]);
    pending[flag] = await findPendingAmong(flag, ids);
  }
  return pending;
}

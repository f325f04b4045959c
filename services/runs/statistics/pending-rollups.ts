import { ROLLUP_PENDING, type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { RollupPending } from './rollup-kinds.ts';

/** The fields that rollups are computed from, and those that retention reads of a run that it removes. */
const FIELDS = {
  workspaceId: 1,
  flowId: 1,
  flowName: 1,
  isChild: 1,
  status: 1,
  startedAt: 1,
  completedAt: 1,
  entries: 1,
  baseBytes: 1,
  journalBytes: 1,
  resultBytes: 1,
  [ROLLUP_PENDING.creation]: 1,
  [ROLLUP_PENDING.end]: 1,
  [ROLLUP_PENDING.removal]: 1,
} as const;

export const idsOf = (runs: readonly RunDocument[]): number[] => runs.map(({ _id }) => _id);

/** Finds at most `limit` runs by one command: its first reply has all of them. */
async function find(filter: object, fields: object, limit: number): Promise<RunDocument[]> {
  const options = { projection: fields, limit, batchSize: limit + 1 };
  const found: unknown[] = await RunModel.collection.find(filter, options).toArray();
  return found as RunDocument[];
}

/** Finds runs with any of the flags, each run once, and at most `limit` for each flag. */
export async function findPendingRuns(
  flags: readonly RollupPending[],
  limit: number,
): Promise<RunDocument[]> {
  const found = await Promise.all(flags.map((flag) => find({ [flag]: true }, FIELDS, limit)));
  return [...new Map(found.flat().map((run) => [run._id, run])).values()];
}

/** Finds the ids of the runs that `findPendingRuns` finds first for the flag. */
export const findPendingIds = async (flag: RollupPending, limit: number): Promise<number[]> =>
  idsOf(await find({ [flag]: true }, { _id: 1 }, limit));

/** Finds those of the runs that still have the flag. */
export async function findPendingAmong(
  flag: RollupPending,
  ids: readonly number[],
): Promise<Set<number>> {
  const pending = { _id: { $in: ids }, [flag]: true };
  return new Set(idsOf(await find(pending, { _id: 1 }, ids.length)));
}

/** Runs in which the same flags are cleared, by one update of each run. */
interface Clearing {
  flags: readonly RollupPending[];
  ids: readonly number[];
}

/** Clears the flags in the runs that have them, by one command. Runs with the flag of their removal are deleted. */
export async function clearPending(
  flags: readonly RollupPending[],
  runs: readonly RunDocument[],
): Promise<void> {
  const flagsOf = (run: RunDocument) => flags.filter((flag) => run[flag]);
  const byFlags = Map.groupBy(runs, (run) => flagsOf(run).join());
  const clearings = [...byFlags.values()].map(
    (alike): Clearing => ({ flags: flagsOf(alike[0] as RunDocument), ids: idsOf(alike) }),
  );
  if ((await clear(clearings)) === runs.length) return;
  // Another writer has cleared one of two flags of some runs: each flag is cleared on its own where it is left.
  const joint = clearings.filter((clearing) => clearing.flags.length > 1);
  await clear(joint.flatMap(({ flags: all, ids }) => all.map((flag) => ({ flags: [flag], ids }))));
}

/** Returns the number of runs that had all flags of their clearing. */
async function clear(clearings: readonly Clearing[]): Promise<number> {
  if (!clearings.length) return 0;
  const operations = clearings.map(operationOf);
  const { matchedCount, deletedCount } = await RunModel.collection.bulkWrite(operations as never, {
    ordered: false,
  });
  return matchedCount + deletedCount;
}

function operationOf({ flags, ids }: Clearing) {
  const filter = { _id: { $in: ids }, ...valuesOf(flags, true) };
  if (flags.includes(ROLLUP_PENDING.removal)) return { deleteMany: { filter } };
  return { updateMany: { filter, update: { $unset: valuesOf(flags, 1) } } };
}

const valuesOf = <T>(
  flags: readonly RollupPending[],
  value: T,
): Partial<Record<RollupPending, T>> => Object.fromEntries(flags.map((flag) => [flag, value]));

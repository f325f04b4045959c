import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import type { RollupChange, RollupState } from './rollup-changes.ts';
import type { Amounts } from './rollups.ts';

type AppliedRuns = Pick<RollupDocument, '_id' | 'version' | 'applied'>;

/** Finds the version of each rollup and the runs that its `applied` names. */
export const findApplied = (ids: readonly string[]): Promise<AppliedRuns[]> =>
  RollupModel.collection
    .find<AppliedRuns>({ _id: { $in: ids } } as never, { projection: { version: 1, applied: 1 } })
    .toArray();

/** Writes each change whose rollup is at the change's version. Returns false when a rollup was at another version. */
export async function writeChanges(changes: readonly RollupChange[]): Promise<boolean> {
  const { first = [], later = [] } = Object.groupBy(changes, ({ version }) =>
    version === 0 ? 'first' : 'later',
  );
  const isUpdated = later.length === 0 || (await updateRollups(later));
  let isCreated = true;
  for (const change of first) isCreated = (await createRollup(change)) && isCreated;
  return isUpdated && isCreated;
}

async function updateRollups(changes: readonly RollupChange[]): Promise<boolean> {
  const { matchedCount } = await RollupModel.collection.bulkWrite(changes.map(updateOf) as never, {
    ordered: false,
  });
  return matchedCount === changes.length;
}

function updateOf(change: RollupChange) {
  const { id, version, after } = change;
  const $inc = { ...amountsOf(change), version: 1 };
  const $set = { ...nameOf(change), applied: appliedOf(after) };
  return { updateOne: { filter: { _id: id, version }, update: { $inc, $set } } };
}

/** Inserts a rollup with its first change. Returns false when another writer has inserted the rollup. */
async function createRollup(change: RollupChange): Promise<boolean> {
  const { kind, runs, after } = change;
  const identity = kind.identityOf(runs[0] as RunDocument);
  const { version } = after;
  const amounts = amountsOf(change);
  const rollup = { ...identity, ...nameOf(change), ...amounts, applied: appliedOf(after), version };
  try {
    await RollupModel.collection.insertOne(rollup satisfies RollupDocument as never);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** The amounts that the runs add. An amount that is not finite is refused: it would stay in the rollup for ever. */
function amountsOf({ kind, id, runs }: RollupChange): Amounts {
  const amounts = kind.amountsOf(runs);
  if (Object.values(amounts).every(Number.isFinite)) return amounts;
  throw new Error(`the rollup ${id} cannot take ${JSON.stringify(amounts)}`);
}

const appliedOf = ({ cleared, pending }: RollupState): number[] => [...cleared.keys(), ...pending];

/** The name of the flow at its latest run; only rollups of one flow have it. */
function nameOf({ kind, runs }: RollupChange): { flowName?: string } {
  const newest = runs.at(-1);
  if (!newest || kind.identityOf(newest).flowId === undefined) return {};
  return { flowName: newest.flowName };
}

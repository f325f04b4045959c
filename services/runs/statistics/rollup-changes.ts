import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { type RollupDocument, RollupModel } from '../../../models/rollup.model.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { idsOf, withMark } from './pending-rollups.ts';
import type { Mark, Rollup } from './rollup-kinds.ts';
import type { Amounts } from './rollups.ts';

/** What a tally is known to be. */
export interface Known {
  version: number;
  /** The runs in `applied` that may still be marked. */
  pending: ReadonlySet<number>;
  /** Those that are not, and since when by the clock of this process that has been known. */
  settled: ReadonlyMap<number, number>;
}

/** Runs of a batch that belong to one tally of their mark. */
export interface Addition {
  mark: Mark;
  rollup: Rollup;
  /** Of the tally. */
  id: string;
  runs: readonly RunDocument[];
}

/** How a tally that is at `version` takes runs which are not in it yet: maybe none. */
export interface Change extends Addition {
  version: number;
  after: Known;
}

/** Milliseconds for which a run stays in `applied` at least when its mark was taken here: both reads of a reader fit in. */
const KEPT_MS = 1_000;
/** Runs without a mark that stay longer, the latest: where few runs end, a reader may be slow. */
const KEPT_LATEST = 100;
/** Runs without a mark that are taken over from the `applied` of others: the latest, since their times are not known. */
const KEPT = 500;

/**
 * What a tally becomes by taking those runs that are not in it yet. Runs leave `applied` that have been
 * without a mark for `KEPT_MS`, except for the latest.
 */
export function changeOf(addition: Addition, known: Known, now: number): Change {
  const { version, pending, settled } = known;
  const runs = addition.runs.filter(({ _id }) => !pending.has(_id) && !settled.has(_id));
  if (!runs.length) return { ...addition, runs, version, after: known };
  const isKept = ([, since]: [number, number], at: number) =>
    now - since < KEPT_MS || at >= settled.size - KEPT_LATEST;
  const after = {
    version: version + 1,
    pending: new Set([...pending, ...idsOf(runs)]),
    settled: new Map([...settled].filter(isKept)),
  };
  return { ...addition, runs, version, after };
}

/** How the tallies, as they are in the database now, take those runs that still have the mark. */
export async function changesNow(additions: readonly Addition[], now: number): Promise<Change[]> {
  const found = await findTallies(additions.map(({ id }) => id));
  const tallies = new Map(found.map((tally) => [tally._id, tally]));
  const marked = await markedRuns(additions, tallies);
  return additions.map((addition) => {
    const { version = 0, applied = [] } = tallies.get(addition.id) ?? {};
    const isMarked = (run: number) => marked[addition.mark]?.has(run) ?? false;
    const runs = addition.runs.filter(({ _id }) => isMarked(_id));
    const pending = new Set(applied.filter(isMarked));
    const unmarked = applied.filter((run) => !isMarked(run)).slice(-KEPT);
    const settled = new Map(unmarked.map((run) => [run, now]));
    return changeOf({ ...addition, runs }, { version, pending, settled }, now);
  });
}

type KeptTally = Pick<RollupDocument, '_id' | 'version' | 'applied'>;

const findTallies = (ids: readonly string[]): Promise<KeptTally[]> =>
  RollupModel.collection
    .find<KeptTally>({ _id: { $in: ids } } as never, { projection: { version: 1, applied: 1 } })
    .toArray();

/** Which of the runs that are to be added, and of those in `applied`, still have the mark of their tally. */
async function markedRuns(
  additions: readonly Addition[],
  tallies: ReadonlyMap<string, { applied: number[] }>,
): Promise<Partial<Record<Mark, Set<number>>>> {
  const marked: Partial<Record<Mark, Set<number>>> = {};
  for (const [mark, ofMark] of Map.groupBy(additions, (addition) => addition.mark)) {
    const ids = ofMark.flatMap(({ id, runs }) => [
      ...idsOf(runs),
      ...(tallies.get(id)?.applied ?? []),
    ]);
    marked[mark] = await withMark(mark, ids);
  }
  return marked;
}

/** Makes each change whose tally is at its version; false when some were not. */
export async function writeChanges(changes: readonly Change[]): Promise<boolean> {
  const { first = [], later = [] } = Object.groupBy(changes, ({ version }) =>
    version === 0 ? 'first' : 'later',
  );
  const isWritten = later.length === 0 || (await update(later));
  let isMade = true;
  for (const change of first) isMade = (await create(change)) && isMade;
  return isWritten && isMade;
}

async function update(changes: readonly Change[]): Promise<boolean> {
  const { matchedCount } = await RollupModel.collection.bulkWrite(changes.map(updateOf) as never, {
    ordered: false,
  });
  return matchedCount === changes.length;
}

function updateOf(change: Change) {
  const { id, version, after } = change;
  const $inc = { ...amountsOf(change), version: 1 };
  const $set = { ...nameOf(change), applied: appliedOf(after) };
  return { updateOne: { filter: { _id: id, version }, update: { $inc, $set } } };
}

/** The first change of a tally makes it; false when somebody else did. */
async function create(change: Change): Promise<boolean> {
  const { rollup, runs, after } = change;
  const identity = rollup.tallyOf(runs[0] as RunDocument);
  const { version } = after;
  const amounts = amountsOf(change);
  const tally = { ...identity, ...nameOf(change), ...amounts, applied: appliedOf(after), version };
  try {
    await RollupModel.collection.insertOne(tally satisfies RollupDocument as never);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** What the runs add. A sum that is no number would stay one in the tally for ever. */
function amountsOf({ rollup, id, runs }: Change): Amounts {
  const amounts = rollup.amountsOf(runs);
  if (Object.values(amounts).every(Number.isFinite)) return amounts;
  throw new Error(`the tally ${id} cannot take ${JSON.stringify(amounts)}`);
}

const appliedOf = ({ settled, pending }: Known): number[] => [...settled.keys(), ...pending];

/** Only a tally of one flow has a name: that of the flow at its latest run. */
function nameOf({ rollup, runs }: Change): { flowName?: string } {
  const newest = runs.at(-1);
  if (!newest || rollup.tallyOf(newest).flowId === undefined) return {};
  return { flowName: newest.flowName };
}

import { isDuplicateKey } from '../../../mixins/database.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { type RunTallyDocument, RunTallyModel } from '../../../models/run-tally.model.ts';
import type { Mark, Rollup } from '../rollups.ts';

/** What a tally is known to be. */
export interface Known {
  version: number;
  /** The runs in `applied` that may still be marked, and those that are not. */
  pending: Set<number>;
  settled: Set<number>;
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

/** Runs that stay in `applied` although they are not marked any more. */
const KEPT = 100;

/** The ids of runs. */
export const idsOf = (runs: readonly RunDocument[]): number[] => runs.map(({ _id }) => _id);

/** What a tally becomes by taking those runs that are not in it yet. */
export function changeOf(addition: Addition, known: Known): Change {
  const { version, pending, settled } = known;
  const runs = addition.runs.filter(({ _id }) => !pending.has(_id) && !settled.has(_id));
  if (!runs.length) return { ...addition, runs, version, after: known };
  const after = {
    version: version + 1,
    pending: new Set([...pending, ...idsOf(runs)]),
    settled: new Set([...settled].slice(-KEPT)),
  };
  return { ...addition, runs, version, after };
}

/** How the tallies, as they are in the database now, take those runs that still have the mark. */
export async function changesNow(additions: readonly Addition[]): Promise<Change[]> {
  const ids = additions.map(({ id }) => id);
  const found = await RunTallyModel.find({ _id: { $in: ids } }, { version: 1, applied: 1 }).lean();
  const tallies = new Map(found.map((tally) => [tally._id, tally]));
  const marked = await markedRuns(additions, tallies);
  return additions.map((addition) => {
    const { version = 0, applied = [] } = tallies.get(addition.id) ?? {};
    const isMarked = (run: number) => marked[addition.mark]?.has(run) ?? false;
    const runs = addition.runs.filter(({ _id }) => isMarked(_id));
    const pending = new Set(applied.filter(isMarked));
    const settled = new Set(applied.filter((run) => !isMarked(run)));
    return changeOf({ ...addition, runs }, { version, pending, settled });
  });
}

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
    marked[mark] = await markedOf(mark, ids);
  }
  return marked;
}

async function markedOf(mark: Mark, ids: readonly number[]): Promise<Set<number>> {
  const marked = await RunModel.find({ _id: { $in: ids }, [mark]: true }, { _id: 1 }).lean();
  return new Set(marked.map(({ _id }) => _id));
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
  // A value that cannot be stored shall throw; otherwise its update would be left out without a word.
  const options = { ordered: false, throwOnValidationError: true };
  const { matchedCount } = await RunTallyModel.bulkWrite(changes.map(updateOf), options);
  return matchedCount === changes.length;
}

function updateOf(change: Change) {
  const { rollup, id, runs, version, after } = change;
  const $inc = { ...rollup.amountsOf(runs), version: 1 };
  const $set = { ...nameOf(change), applied: appliedOf(after) };
  return { updateOne: { filter: { _id: id, version }, update: { $inc, $set } } };
}

/** The first change of a tally makes it; false when somebody else did. */
async function create(change: Change): Promise<boolean> {
  const { rollup, runs, after } = change;
  const identity = rollup.tallyOf(runs[0] as RunDocument);
  const { version } = after;
  const amounts = rollup.amountsOf(runs);
  const tally = { ...identity, ...nameOf(change), ...amounts, applied: appliedOf(after), version };
  try {
    await RunTallyModel.create(tally satisfies RunTallyDocument);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

const appliedOf = ({ settled, pending }: Known): number[] => [...settled, ...pending];

/** Only a tally of one flow has a name: that of the flow at its latest run. */
function nameOf({ rollup, runs }: Change): { flowName?: string } {
  const newest = runs.at(-1);
  if (!newest || rollup.tallyOf(newest).flowId === undefined) return {};
  return { flowName: newest.flowName };
}

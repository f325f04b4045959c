import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { COUNTED, type Mark } from './rollup-kinds.ts';

/** What is posted of a run, and what retention asks of one that it removes. */
const FIELDS = {
  workspaceId: 1,
  flowId: 1,
  flowName: 1,
  status: 1,
  startedAt: 1,
  completedAt: 1,
  entries: 1,
  baseBytes: 1,
  journalBytes: 1,
  resultBytes: 1,
  keptBytes: 1,
  baseCounted: 1,
  endCounted: 1,
  uncounted: 1,
  unposted: 1,
  expired: 1,
} as const;

/** The ids of runs. */
export const idsOf = (runs: readonly RunDocument[]): number[] => runs.map(({ _id }) => _id);

/** At most so many runs, by one command: the first reply has all of them. */
async function find(filter: object, fields: object, limit: number): Promise<RunDocument[]> {
  const options = { projection: fields, limit, batchSize: limit + 1 };
  const found: unknown[] = await RunModel.collection.find(filter, options).toArray();
  return found as RunDocument[];
}

/** Runs with one of the marks or several, each run once, and at most `limit` for each mark. */
export async function findMarked(marks: readonly Mark[], limit: number): Promise<RunDocument[]> {
  const found = await Promise.all(marks.map((mark) => find({ [mark]: true }, FIELDS, limit)));
  return [...new Map(found.flat().map((run) => [run._id, run])).values()];
}

/** The runs that `findMarked` finds first for the mark. */
export const firstMarked = async (mark: Mark, limit: number): Promise<number[]> =>
  idsOf(await find({ [mark]: true }, { _id: 1 }, limit));

/** Which of the runs have the mark. */
export async function withMark(mark: Mark, ids: readonly number[]): Promise<Set<number>> {
  const marked = { _id: { $in: ids }, [mark]: true };
  return new Set(idsOf(await find(marked, { _id: 1 }, ids.length)));
}

/** A mark that is taken from a run which stays. */
type CountedMark = keyof typeof COUNTED;

/** Runs from which the same marks are taken, in one change of each run. */
interface Taking {
  marks: readonly Mark[];
  ids: readonly number[];
}

/** Takes from each run those of the marks that it has, all of them by one command. */
export async function takeMarks(
  marks: readonly Mark[],
  runs: readonly RunDocument[],
): Promise<void> {
  const marksOf = (run: RunDocument) => marks.filter((mark) => run[mark]);
  const alike = Map.groupBy(runs, (run) => marksOf(run).join());
  const takings = [...alike.values()].map(
    (some): Taking => ({ marks: marksOf(some[0] as RunDocument), ids: idsOf(some) }),
  );
  if ((await take(takings)) === runs.length) return;
  // Another poster has taken one mark of some runs: each mark is taken from those that still have it.
  const joint = takings.filter((taking) => taking.marks.length > 1);
  await take(joint.flatMap(({ marks: all, ids }) => all.map((mark) => ({ marks: [mark], ids }))));
}

/** Returns how many runs had the marks that were to be taken from them. */
async function take(takings: readonly Taking[]): Promise<number> {
  if (!takings.length) return 0;
  const operations = takings.map(operationOf);
  const { matchedCount, deletedCount } = await RunModel.collection.bulkWrite(operations as never, {
    ordered: false,
  });
  return matchedCount + deletedCount;
}

function operationOf({ marks, ids }: Taking) {
  const filter = { _id: { $in: ids }, ...valuesOf(marks, true) };
  if (marks.includes('expired')) return { deleteMany: { filter } };
  const $set = Object.assign({}, ...marks.map((mark) => COUNTED[mark as CountedMark]));
  return { updateMany: { filter, update: { $unset: valuesOf(marks, 1), $set } } };
}

const valuesOf = <T>(marks: readonly Mark[], value: T): Partial<Record<Mark, T>> =>
  Object.fromEntries(marks.map((mark) => [mark, value]));

import { isCondition, isDocument } from '../bson/values.ts';
import type { Index } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Plan } from './plan.ts';

/** An index that a query may use. */
export interface Candidate {
  plan: Plan;
  index: Index;
  /** The index's fields whose bounds narrow the plan's intervals. */
  boundFields: readonly string[];
  /** The largest possible number of entries in the intervals; infinite when the index is not unique. */
  maxEntries: number;
  /** The preference among candidates whose entries are not compared or equal. The highest score is chosen. */
  score: number;
}

/** Entries of each candidate that each look counts at most. The next look counts more of them. */
const LOOKS = [32, 256, 2_048] as const;
/** The looks that compare a plan that needs a sort with a plan whose documents come in order. */
const LOOKS_BEFORE_SORTING = LOOKS.slice(0, 2);

/**
 * Chooses the candidate with the fewest entries. Entries are counted only when the fields do not decide, and only until
 * the smallest candidate is known, so that planning costs less than the search.
 */
export function chooseCandidate(
  connection: Connection,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const byScore = candidates.toSorted((a, b) => b.score - a.score);
  const contenders = byScore.filter(
    (one, at) => !byScore.some((other, i) => excludes(other, one, i < at)),
  );
  const [first] = contenders;
  if (!first || contenders.length === 1) return first;
  const hasOneOrder = contenders.every(({ plan }) => plan.sorted === first.plan.sorted);
  for (const limit of hasOneOrder ? LOOKS : LOOKS_BEFORE_SORTING) {
    const counted = contenders.map((one) => ({
      one,
      entries: entriesUpTo(limit, connection, one),
    }));
    const least = counted.reduce<number>((fewest, { entries }) => Math.min(fewest, entries), limit);
    if (least < limit) return counted.find(({ entries }) => entries === least)?.one;
  }
  return first;
}

/** Tells whether `other` makes counting `one` needless. Of two candidates that exclude each other the earlier stays. */
const excludes = (other: Candidate, one: Candidate, isEarlier: boolean): boolean =>
  other !== one && isWithin(other, one) && (isEarlier || !isWithin(one, other));

/** Tells whether the bound fields of `inner` include those of `outer`, so that `inner` has no more entries. */
function isWithin(inner: Candidate, outer: Candidate): boolean {
  if (inner.index.multikey.size > 0) return false; // an index of arrays may have wider bounds and more entries
  if (outer.plan.sorted && !inner.plan.sorted) return false;
  const narrowed = new Set([...inner.boundFields, ...fieldsWithOneValue(inner.index)]);
  const { partialFilter = new Map() } = outer.index;
  return [...outer.boundFields, ...partialFilter.keys()].every((name) => narrowed.has(name));
}

/** Lists the fields that have the same value in all documents of a partial index. */
function fieldsWithOneValue({ partialFilter = new Map() }: Index): string[] {
  return [...partialFilter]
    .filter(([name, value]) => !name.startsWith('$') && !isCondition(value) && !isDocument(value))
    .map(([name]) => name);
}

/** Counts the entries in the plan's intervals up to `limit`. An empty interval counts 1, because it costs a search. */
function entriesUpTo(
  limit: number,
  connection: Connection,
  { plan, index, maxEntries }: Candidate,
): number {
  if (maxEntries <= limit) return maxEntries;
  let entries = 0;
  for (const { low, high } of plan.intervals) {
    const [n] = connection.get(index.sql.countUpTo, low, high, limit - entries) ?? [];
    entries += Math.max(Number(n), 1);
    if (entries >= limit) return limit;
  }
  return entries;
}

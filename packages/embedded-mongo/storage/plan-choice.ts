import { isCondition, isDocument } from '../bson/values.ts';
import type { Index } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Plan } from './planner.ts';

/** An index that a query may use. */
export interface Candidate {
  plan: Plan;
  index: Index;
  /** The index's fields whose bounds narrow the plan's intervals. */
  bounded: readonly string[];
  /** How many entries the intervals hold at most; infinite where the index is not unique. */
  most: number;
  /** The preference among candidates that a look cannot tell apart; the highest is taken. */
  score: number;
}

/** Entries of each candidate that one look counts at most; the next look counts further. */
const LOOKS = [32, 256, 2_048] as const;
/** A plan that has to sort is compared with one that has not by the first looks alone. */
const LOOKS_BEFORE_SORTING = LOOKS.slice(0, 2);

/**
 * The candidate with the fewest entries. Entries are counted only where the fields of two candidates do
 * not tell which has fewer, and only until the smallest is known: planning costs less than the search.
 */
export function chooseCandidate(
  connection: Connection,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const byScore = candidates.toSorted((a, b) => b.score - a.score);
  const left = byScore.filter(
    (one, at) => !byScore.some((other, i) => excludes(other, one, i < at)),
  );
  const [first] = left;
  if (!first || left.length === 1) return first;
  const alike = left.every(({ plan }) => plan.sorted === first.plan.sorted);
  for (const limit of alike ? LOOKS : LOOKS_BEFORE_SORTING) {
    const counted = left.map((one) => ({ one, entries: entriesUpTo(limit, connection, one) }));
    const least = Math.min(...counted.map(({ entries }) => entries));
    if (least < limit) return counted.find(({ entries }) => entries === least)?.one;
  }
  return first;
}

/** Whether `one` need not be looked at beside the other. Of two that exclude each other the earlier stays. */
const excludes = (other: Candidate, one: Candidate, isEarlier: boolean): boolean =>
  other !== one && isWithin(other, one) && (isEarlier || !isWithin(one, other));

/** Whether what `inner` bounds includes all that narrows `outer`, so that it has no more entries. */
function isWithin(inner: Candidate, outer: Candidate): boolean {
  if (inner.index.multikey.size > 0) return false; // its bounds may be wider, and its entries more
  if (outer.plan.sorted && !inner.plan.sorted) return false;
  const narrowed = new Set([...inner.bounded, ...fieldsWithOneValue(inner.index)]);
  const { partialFilter = new Map() } = outer.index;
  return [...outer.bounded, ...partialFilter.keys()].every((name) => narrowed.has(name));
}

/** Fields that have the same value in all documents of a partial index. */
function fieldsWithOneValue({ partialFilter = new Map() }: Index): string[] {
  return [...partialFilter]
    .filter(([name, value]) => !name.startsWith('$') && !isCondition(value) && !isDocument(value))
    .map(([name]) => name);
}

/** How many entries the plan's intervals hold, as far as `limit`. Also an empty one takes a look. */
function entriesUpTo(
  limit: number,
  connection: Connection,
  { plan, index, most }: Candidate,
): number {
  if (most <= limit) return most;
  let entries = 0;
  for (const { low, high } of plan.intervals) {
    const [n] = connection.get(index.sql.countUpTo, low, high, limit - entries) ?? [];
    entries += Math.max(Number(n), 1);
    if (entries >= limit) return limit;
  }
  return entries;
}

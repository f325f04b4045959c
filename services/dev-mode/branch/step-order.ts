/**
 * The keys of `after` that were moved among the keys that both lists have: the fewest keys without which both have the
 * same order.
 */
export function movedKeys(before: readonly string[], after: readonly string[]): Set<string> {
  const places = new Map(before.map((key, at) => [key, at]));
  const common = after.filter((key) => places.has(key));
  const kept = longestIncreasing(common.map((key) => places.get(key) ?? 0));
  return new Set(common.filter((_, at) => !kept.has(at)));
}

/** The indexes of a longest increasing subsequence of distinct numbers (patience sorting). */
function longestIncreasing(numbers: readonly number[]): Set<number> {
  /** For each length, the index of the smallest number that ends an increasing subsequence of that length. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [at, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1];
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) kept.add(at);
  return kept;
}

/** Three lists of keys: a base, and two lists that were made of it independently. */
export interface Orders {
  base: readonly string[];
  ours: readonly string[];
  theirs: readonly string[];
}

/**
 * The keys that both sides have moved, to different places. Without them each side's moves can be carried out on the
 * other side's order.
 */
export function orderConflicts({ base, ours, theirs }: Orders): Set<string> {
  const common = new Set(ours).intersection(new Set(theirs));
  const [one, other] = [ours, theirs].map((keys) => keys.filter((key) => common.has(key)).join());
  if (one === other) return new Set();
  return movedKeys(base, ours).intersection(movedKeys(base, theirs));
}

/** The merged order of `keys`: the order of `theirs`, with the keys that `ours` has added or moved in their places there. */
export function mergeOrder({ base, ours, theirs }: Orders, keys: ReadonlySet<string>): string[] {
  const movedByTheirs = movedKeys(base, theirs);
  const movedByOurs = movedKeys(base, ours).difference(movedByTheirs);
  const addedByBoth = new Set(ours).intersection(new Set(theirs)).difference(new Set(base));
  const order = theirs.filter((key) => keys.has(key) && !movedByOurs.has(key));
  return insertAfterPredecessors(
    order,
    ours.filter((key) => keys.has(key)),
    movedByTheirs.union(addedByBoth),
  );
}

/**
 * Inserts the keys of `from` that the order lacks: each after the nearest key before it in `from`, or at the beginning.
 * A key in `loose` stands in the order where `from` does not have it, so that no key is inserted after it.
 */
export function insertAfterPredecessors(
  order: readonly string[],
  from: readonly string[],
  loose: ReadonlySet<string> = new Set(),
): string[] {
  const result = [...order];
  const present = new Set(result);
  for (const [at, key] of from.entries()) {
    if (present.has(key)) continue;
    const anchor = from.slice(0, at).findLast((each) => present.has(each) && !loose.has(each));
    result.splice(anchor === undefined ? 0 : result.indexOf(anchor) + 1, 0, key);
    present.add(key);
  }
  return result;
}

/**
 * Chooses a free slot at random, a number below `limit`, so that conflicts of concurrent creations are rare. Throws the
 * refusal when each slot is taken.
 */
export function chooseFreeSlot(
  taken: readonly number[],
  limit: number,
  refusal: () => Error,
): number {
  if (taken.length >= limit) throw refusal();
  return nthFreeSlot(taken, Math.floor(Math.random() * (limit - taken.length)));
}

/** The free number that has `n` free numbers below it. */
export function nthFreeSlot(taken: readonly number[], n: number): number {
  let slot = n;
  for (const used of taken.toSorted((a, b) => a - b)) {
    if (used > slot) break;
    slot++;
  }
  return slot;
}

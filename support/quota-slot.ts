/**
 * Chooses a free slot at random, a number below `limit`, so that conflicts of concurrent creations are rare. `slots` has the
 * slot of each holder; a holder from a time without the quota has none, and counts as well: as many of the greatest free
 * numbers as there are such holders stay free. Throws the refusal when there are `limit` holders.
 */
export function chooseFreeSlot(
  slots: readonly (number | null | undefined)[],
  limit: number,
  refusal: () => Error,
): number {
  if (slots.length >= limit) throw refusal();
  const taken = slots.flatMap((slot) => slot ?? []);
  return nthFreeSlot(taken, Math.floor(Math.random() * (limit - slots.length)));
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

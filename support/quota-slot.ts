/** The free number that has `n` free numbers below it. A random `n` makes conflicts of concurrent creations rare. */
export function nthFreeSlot(taken: readonly number[], n: number): number {
  let slot = n;
  for (const used of taken.toSorted((a, b) => a - b)) {
    if (used > slot) break;
    slot++;
  }
  return slot;
}

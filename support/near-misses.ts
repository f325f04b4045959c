/** Names that are suggested for an unknown one. Further ones are left out. */
const MAX_SUGGESTED = 3;
/** Characters of a name for which one mistake is tolerated. */
const CHARACTERS_PER_MISTAKE = 4;

/**
 * Finds the known names that differ from a typed name by few mistakes, or that continue it, the nearest first. A mistake
 * is a wrong, missing or additional character, or two that are swapped. Case does not count.
 */
export function nearMisses(typed: string, known: readonly string[]): string[] {
  const lower = typed.toLowerCase();
  const tolerated = Math.max(1, Math.floor(typed.length / CHARACTERS_PER_MISTAKE));
  return known
    .map((name) => ({ name, mistakes: mistakesBetween(lower, name.toLowerCase()) }))
    .filter(({ name, mistakes }) => mistakes <= tolerated || continues(name.toLowerCase(), lower))
    .toSorted((a, b) => a.mistakes - b.mistakes || a.name.localeCompare(b.name))
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

const continues = (name: string, typed: string): boolean =>
  typed.length >= CHARACTERS_PER_MISTAKE && name.startsWith(typed);

/** The distance of two texts by Damerau and Levenshtein, with adjacent swaps (optimal string alignment). */
function mistakesBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0;

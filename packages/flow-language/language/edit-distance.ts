/**
 * The distance of Damerau and Levenshtein, with swaps of neighbours only (optimal string alignment): how many letters
 * were added, left out, exchanged or swapped. A distance of `enough` or more may be told as `enough`.
 */
export function editDistance(a: string, b: string, enough: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let errors = (previous[j - 1] ?? 0) + (isSame ? 0 : 1);
      errors = Math.min(errors, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) errors = Math.min(errors, (before[j - 2] ?? 0) + 1);
      row.push(errors);
    }
    if (Math.min(...previous, ...row) >= enough) return enough;
    [before, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}

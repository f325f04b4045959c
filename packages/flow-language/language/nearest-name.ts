/** Characters beyond which no nearest name is searched, because the search costs the product of both lengths. */
const LONGEST_WORD = 32;
/** Typing errors (letters added, left out, exchanged or swapped) up to which a name counts as misspelt. */
const MOST_ERRORS = 2;
/** The most names that are compared; further names are ignored. A hostile file cannot make the search slow. */
const MOST_NAMES = 1_000;

/** Finds the known name that an author has probably misspelt; undefined when no name is near. */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  let nearest: string | undefined;
  let least = Math.min(MOST_ERRORS, Math.floor(word.length / 3)) + 1;
  let compared = 0;
  for (const name of names) {
    compared += 1;
    if (compared > MOST_NAMES) break;
    if (Math.abs(name.length - word.length) >= least) continue;
    const errors = distance(word.toLowerCase(), name.toLowerCase(), least);
    if (errors >= least) continue;
    nearest = name;
    least = errors;
  }
  return nearest;
}

/** Asks in a message for the known name that is near; empty when no name is near. It ends with a space. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const nearest = nearestName(word, names);
  return nearest === undefined ? '' : `did you mean "${nearest}"? `;
}

/** The distance of Damerau and Levenshtein, with swaps of neighbours only. It stops at `enough`. */
function distance(a: string, b: string, enough: number): number {
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

import { editDistance } from './edit-distance.ts';

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
    const errors = editDistance(word.toLowerCase(), name.toLowerCase(), least);
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

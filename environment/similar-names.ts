import { editDistance } from '@workspace-automation/flow-language/edit-distance';

/** Letters of a known name for each typing error that is allowed: short names resemble too many others. */
const LETTERS_PER_ERROR = 5;
const MOST_ERRORS = 2;
/** Characters beyond which a name is compared with none, because the search costs the product of both lengths. */
const LONGEST_NAME = 64;
/** The end of a variable that names a file with the value. */
const FILE = '_FILE';

/** A variable that the service does not read, and the variable that was probably meant. */
export interface SimilarName {
  given: string;
  known: string;
}

/**
 * The names that somebody has probably misspelt. A known variable that is given as well was not misspelt, so that no
 * other name is held for it: shells, systemd and Kubernetes set variables of their own.
 *
 * @param given the names of all variables that have a value
 */
export function similarNames(given: readonly string[], known: ReadonlySet<string>): SimilarName[] {
  const candidates = [...known].filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.has(name) && name.length <= LONGEST_NAME)
    .flatMap((name) => {
      const meant = nearest(name, candidates);
      return meant === undefined ? [] : [{ given: name, known: meant }];
    });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const errors = errorsBetween(name, candidate);
    if (errors >= least) continue;
    [found, least] = [candidate, errors];
  }
  return found;
}

/** Typing errors from the known name to the given one; infinite where that is another name. */
function errorsBetween(name: string, known: string): number {
  if (name === `${known}${FILE}`) return 0; // a file, of a variable that reads none
  const most = Math.min(MOST_ERRORS, Math.floor(known.length / LETTERS_PER_ERROR));
  if (most === 0 || Math.abs(name.length - known.length) > most) return Number.POSITIVE_INFINITY;
  const errors = editDistance(name.toUpperCase(), known, most + 1);
  return errors > most ? Number.POSITIVE_INFINITY : errors;
}

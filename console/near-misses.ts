import { editDistance } from '@workspace-automation/flow-language/edit-distance';

/** Names that are suggested for an unknown one. Further ones are left out. */
const MAX_SUGGESTED = 3;
/** Characters of a name for each typing error that is allowed. */
const CHARACTERS_PER_ERROR = 4;

/** Finds the known names that a typed name probably means, the nearest first: misspelt, or only begun. Case does not count. */
export function nearMisses(typed: string, known: readonly string[]): string[] {
  const begun = typed.toLowerCase();
  const most = Math.max(1, Math.floor(typed.length / CHARACTERS_PER_ERROR));
  return known
    .map((name) => ({ name, errors: editDistance(begun, name.toLowerCase(), most + 1) }))
    .filter(({ name, errors }) => errors <= most || continues(name.toLowerCase(), begun))
    .toSorted((a, b) => a.errors - b.errors || a.name.localeCompare(b.name))
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

const continues = (name: string, begun: string): boolean =>
  begun.length >= CHARACTERS_PER_ERROR && name.startsWith(begun);

import { compareStrings } from '../bson/compare.ts';
import type { Path } from '../bson/path.ts';
import { fail } from '../errors.ts';
import { isFiltered } from './positions.ts';

const conflict = (path: Path, at: Path): never =>
  fail(
    'ConflictingUpdateOperators',
    `Updating the path '${path.join('.')}' would create a conflict at '${at.join('.')}'`,
  );

/** Refuses paths of which one begins another. */
export function refuseConflicts(paths: Path[]): void {
  const sorted = [...paths].sort(comparePaths);
  for (let i = 1; i < sorted.length; i++) {
    const [before, path] = [sorted[i - 1] as Path, sorted[i] as Path];
    if (before.every((part, j) => part === path[j])) conflict(path, before);
  }
}

/** Refuses paths that lead into the same array both by $[] or $[name] and by other parts. */
export function refuseMixed(paths: Path[]): void {
  if (paths.length < 2) return;
  const root: Branch = { parts: new Map() };
  for (const path of paths) {
    let branch = root;
    for (const [i, part] of path.entries()) {
      const elements = isFiltered(part);
      if ((branch.elements ?? elements) !== elements) conflict(path, path.slice(0, i));
      branch.elements = elements;
      const next = branch.parts.get(part) ?? { parts: new Map() };
      branch.parts.set(part, next);
      branch = next;
    }
  }
}

/** A node in the tree of all paths, and whether its parts are $[] or $[name]. */
interface Branch {
  elements?: boolean;
  readonly parts: Map<string, Branch>;
}

/** Compares paths part by part, which is the order in which MongoDB adds new fields. */
export function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareParts(a[i] as string, b[i] as string);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares names by their bytes, but puts the shorter first of two that begin with a digit other than a leading 0. */
function compareParts(a: string, b: string): number {
  if (a === b) return 0;
  return (isNumbered(a) && isNumbered(b) && a.length - b.length) || compareStrings(a, b);
}

function isNumbered(part: string): boolean {
  const first = part.charCodeAt(0);
  return first >= 48 && first <= 57 && (first !== 48 || part.length === 1);
}

import { isIndex, type Path } from '../bson/path.ts';
import { fail } from '../errors.ts';

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
  const kinds = new Map<string, boolean>();
  for (const path of paths) {
    for (const [i, part] of path.entries()) {
      const parent = path.slice(0, i);
      const key = parent.join('.');
      const elements = part.startsWith('$[');
      if ((kinds.get(key) ?? elements) !== elements) conflict(path, parent);
      kinds.set(key, elements);
    }
  }
}

/** Compares paths part by part. Two parts that are indexes are compared as numbers. */
export function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] as string, b[i] as string];
    if (x === y) continue;
    if (isIndex(x) && isIndex(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

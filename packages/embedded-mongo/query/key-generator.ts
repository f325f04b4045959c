import { keyOf } from '../bson/keys.ts';
import { isNumeric, toDouble } from '../bson/numbers.ts';
import { type Path, pathOf } from '../bson/path.ts';
import { type Document, UNDEFINED, type Value } from '../bson/values.ts';
import { MongoError } from '../errors.ts';

/** A key of a document in an index or a sort, and the values of the key. Undefined is a missing value. */
export interface Entry {
  key: Buffer;
  values: readonly (Value | undefined)[];
}

/** The position of one field of the pattern in a document. `at` is the next part of the field's path. */
interface Position {
  value: Value | undefined;
  at: number;
}

/**
 * Makes a document's keys for a pattern such as {a: 1, 'b.c': -1}, as MongoDB does. Each element of an array has a key,
 * fields that lead through the same array use the same element, and two different arrays are refused.
 */
export class KeyGenerator {
  readonly names: readonly string[];
  readonly paths: readonly Path[];
  readonly descending: readonly boolean[];

  constructor(pattern: Document) {
    this.names = [...pattern.keys()];
    this.paths = this.names.map(pathOf);
    this.descending = [...pattern.values()].map((d) => isNumeric(d) && toDouble(d) < 0);
  }

  entries(document: Document): Entry[] {
    if (!this.meetsArray(document)) {
      return [this.entry(this.paths.map((path) => valueAt(document, path)))];
    }
    const found: (Value | undefined)[][] = [];
    this.unfold(this.start(document), found);
    const entries = found.map((values) => this.entry(values));
    entries.sort((a, b) => Buffer.compare(a.key, b.key));
    return entries.filter(
      (entry, i) => i === 0 || !entry.key.equals((entries[i - 1] as Entry).key),
    );
  }

  /** Tells whether any of the paths leads through an array. */
  meetsArray(document: Document): boolean {
    for (const path of this.paths) {
      let value: Value | undefined = document;
      for (const part of path) {
        if (!(value instanceof Map)) break;
        value = value.get(part);
      }
      if (Array.isArray(value)) return true;
    }
    return false;
  }

  /** Adds the paths of all arrays through which the document's keys lead. */
  arrays(document: Document, paths: Set<string>): void {
    this.unfold(this.start(document), [], paths);
  }

  private start(document: Document): Position[] {
    return this.paths.map((): Position => ({ value: document, at: 0 }));
  }

  private entry(values: (Value | undefined)[]): Entry {
    const stored = values.map((value) => value ?? null);
    return { key: keyOf(stored, this.descending), values };
  }

  private unfold(
    positions: Position[],
    found: (Value | undefined)[][],
    arrays?: Set<string>,
  ): void {
    let array: Value[] | undefined;
    for (const [i, position] of positions.entries()) {
      const path = this.paths[i] as Path;
      const reached = advance(position, path);
      positions[i] = reached;
      if (!Array.isArray(reached.value) || reached.at > path.length) continue;
      if (array && array !== reached.value) throw parallel(this.names);
      array = reached.value;
      arrays?.add(path.slice(0, reached.at).join('.'));
    }
    if (array === undefined) {
      found.push(positions.map((position) => position.value));
      return;
    }
    const elements = array.length > 0 ? array : [UNDEFINED];
    for (const element of elements) {
      this.unfold(
        positions.map((position, i) => into(position, array, element, this.paths[i] as Path)),
        found,
        arrays,
      );
    }
  }
}

/** Returns the value at a path that leads through no array. */
export function valueAt(document: Document, path: Path): Value | undefined {
  let value: Value | undefined = document;
  for (const part of path) value = value instanceof Map ? value.get(part) : undefined;
  return value;
}

/** Follows the path until the path or the documents end, or up to an array. */
function advance({ value, at }: Position, path: Path): Position {
  let reached = value;
  let next = at;
  while (next < path.length) {
    if (reached instanceof Map) reached = reached.get(path[next++] as string);
    else if (Array.isArray(reached)) break;
    else {
      reached = undefined;
      next = path.length + 1;
    }
  }
  return { value: reached, at: next };
}

/** Returns the position in one element of the array. An array directly in an array is not unfolded. */
function into(position: Position, array: Value[], element: Value, path: Path): Position {
  if (position.value !== array || position.at > path.length) return position;
  if (position.at === path.length) return { value: element, at: path.length + 1 };
  if (element instanceof Map) return { value: element, at: position.at };
  return { value: undefined, at: path.length + 1 };
}

const parallel = (names: readonly string[]): MongoError =>
  new MongoError(
    'CannotIndexParallelArrays',
    `cannot index parallel arrays [${names.join('] [')}]`,
  );

import type { Path } from '../bson/path.ts';
import { StoredDocument } from '../bson/stored.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';

type Container = Document | Value[];

/** The result of following a path in a document. */
export interface Place {
  readonly path: Path;
  /** The existing documents and arrays that hold the first parts of the path. */
  readonly parents: readonly Container[];
  /** The value at the path; undefined for a missing value. */
  readonly value: Value | undefined;
  /** The value that the next part of the path cannot enter: a scalar, or an array that is entered by a name. */
  readonly obstacle: Value | undefined;
}

/** Elements of null that an update may add to an array before a new element. */
const MAX_PADDING = 1_500_000;

/** The greatest index of an element in a path. A greater number is the name of a field. */
const MAX_INDEX = 0xffff_ffff;

/** Returns the index that a part of a path is in an array; undefined for a name. */
function indexOf(part: string): number | undefined {
  if (!/^\d+$/.test(part)) return undefined;
  const index = Number(part);
  return index <= MAX_INDEX ? index : undefined;
}

const holds = (value: Value, part: string): value is Container =>
  value instanceof Map || (Array.isArray(value) && indexOf(part) !== undefined);

/** Returns the field or the element that a part of a path names; undefined for a missing value. */
export function childOf(value: Value | undefined, part: string): Value | undefined {
  if (value instanceof Map) return value.get(part);
  const index = Array.isArray(value) ? indexOf(part) : undefined;
  return index === undefined ? undefined : (value as Value[])[index];
}

/** Sets a field or an element. A gap before a new element is filled with null. */
function put(container: Container, part: string, value: Value): void {
  if (container instanceof Map) {
    container.set(part, value);
    return;
  }
  const index = Number(part);
  if (index > container.length + MAX_PADDING)
    fail('CannotBackfillArray', `can't backfill more than ${MAX_PADDING} elements`);
  while (container.length < index) container.push(null);
  container[index] = value;
}

function copyOf(container: Container): Container {
  if (Array.isArray(container)) return container.slice();
  return container instanceof StoredDocument ? container.clone() : new Map(container);
}

/**
 * A document during its update. The given document stays as it is: a document or an array on a written path is copied
 * once, and everything else is shared.
 */
export class WorkingDocument {
  /** Whether MongoDB counts the update as a modification even if the document has become the same again. */
  touched = false;
  private root: Document;
  private readonly copies = new Set<Container>();

  constructor(document: Document) {
    this.root = document;
  }

  get document(): Document {
    return this.root;
  }

  find(path: Path): Place {
    const parents: Container[] = [];
    let value: Value | undefined = this.root;
    for (const part of path) {
      if (value === undefined) break;
      if (!holds(value, part)) return { path, parents, value: undefined, obstacle: value };
      parents.push(value);
      value = childOf(value, part);
    }
    const reached = parents.length === path.length;
    return { path, parents, value: reached ? value : undefined, obstacle: undefined };
  }

  /** Sets the value at a place that has no obstacle. Missing documents on the path are made. */
  set({ path, parents }: Place, value: Value): void {
    const depth = parents.length - 1;
    let made = value;
    for (let i = path.length - 1; i > depth; i--) {
      const document: Document = new Map([[path[i] as string, made]]);
      this.copies.add(document);
      made = document;
    }
    put(this.writable(path, depth), path[depth] as string, made);
  }

  /** Removes an existing field. An element of an array is replaced by null. */
  unset({ path }: Place): void {
    const last = path.length - 1;
    const container = this.writable(path, last);
    const part = path[last] as string;
    if (container instanceof Map) container.delete(part);
    else put(container, part, null);
  }

  /** Returns the container at a depth of a path, as a copy that may be changed. */
  private writable(path: Path, depth: number): Container {
    if (!this.copies.has(this.root)) {
      this.root = copyOf(this.root) as Document;
      this.copies.add(this.root);
    }
    let container: Container = this.root;
    for (const part of path.slice(0, depth)) {
      let next = childOf(container, part) as Container;
      if (!this.copies.has(next)) {
        next = copyOf(next);
        this.copies.add(next);
        put(container, part, next);
      }
      container = next;
    }
    return container;
  }
}

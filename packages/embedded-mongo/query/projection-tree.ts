import type { Expression, Variables } from '../aggregation/variables.ts';
import { StoredDocument } from '../bson/stored.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Predicate } from './match.ts';
import type { Position } from './position.ts';

/** The projection of one path. `true` includes or excludes the path, like the whole projection. */
export type Leaf =
  | true
  | { expression: Expression }
  | { elemMatch: Predicate }
  | { slice: [number, number] }
  | { positional: Position };
export type Tree = Map<string, Tree | { leaf: Leaf }>;

/** The context of a projection. Only the projection of find and findAndModify has a `filter`, an aggregation's $project none. */
export interface ProjectionContext {
  variables: Variables;
  filter?: Document;
}

interface Used {
  document: Document;
  context: ProjectionContext;
}

/** Includes the fields of the tree. Of arrays only documents and arrays remain, because only they have fields. */
export function include(value: Document, tree: Tree, used: Used): Document {
  const shown: Document = new Map();
  // Only the included fields of a stored document are decoded.
  for (const name of value.keys()) {
    const node = tree.get(name);
    if (node === undefined) continue;
    const field = value.get(name) as Value;
    if (node instanceof Map) {
      const otherwise = isComputed(node) ? (): Value => new Map() : () => undefined;
      const inner = nested(field, (document) => include(document, node, used), otherwise);
      if (inner !== undefined) shown.set(name, inner);
    } else if (node.leaf === true) shown.set(name, field);
    else if (!('expression' in node.leaf || 'elemMatch' in node.leaf))
      place(shown, name, field, node.leaf, used);
  }
  return shown;
}

/** A stored document decodes only the fields that the tree names; the others are encoded by copying them. */
export function exclude(value: Document, tree: Tree, used: Used): Document {
  const shown = copyOf(value);
  for (const [name, node] of tree) {
    const field = value.get(name);
    if (field === undefined) continue;
    if (node instanceof Map) {
      const inner = nested(
        field,
        (document) => exclude(document, node, used),
        (value) => value,
      );
      shown.set(name, inner as Value);
    } else if (node.leaf === true || 'expression' in node.leaf) shown.delete(name);
    else if (!('elemMatch' in node.leaf)) place(shown, name, field, node.leaf, used);
  }
  return shown;
}

const copyOf = (document: Document): Document =>
  document instanceof StoredDocument ? document.clone() : new Map(document);

/** Applies a function to a document, or to each document of an array. `otherwise` converts other values. */
function nested(
  value: Value,
  apply: (document: Document) => Document,
  otherwise: (value: Value) => Value | undefined,
): Value | undefined {
  if (value instanceof Map) return apply(value);
  if (!Array.isArray(value)) return otherwise(value);
  return value.flatMap((element): Value[] => {
    const inner = nested(element, apply, otherwise);
    return inner === undefined ? [] : [inner];
  });
}

/** Sets the field of a $slice or a positional $, which stays at its place in the document. */
function place(
  shown: Document,
  name: string,
  value: Value,
  leaf: { slice: [number, number] } | { positional: Position },
  used: Used,
): void {
  if ('slice' in leaf) {
    const [first, count] = leaf.slice;
    if (!Array.isArray(value)) shown.set(name, value);
    else {
      const start = first < 0 ? Math.max(0, value.length + first) : first;
      shown.set(name, value.slice(start, start + count));
    }
  } else if (!Array.isArray(value)) shown.set(name, value);
  else {
    const position = leaf.positional(used.document);
    if (position === undefined) {
      fail(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    shown.set(name, [value[position as number] as Value]);
  }
}

/**
 * Sets computed fields and the elements that $elemMatch selects. They come after the fields of the document, unless they
 * replace a field. On their path each element of an array is followed, and other values become documents.
 */
export function compute(shown: Document, tree: Tree, used: Used): void {
  for (const [name, node] of tree) {
    if (node instanceof Map) {
      if (isComputed(node)) shown.set(name, computeInto(shown.get(name), node, used));
    } else {
      const { leaf } = node;
      if (leaf === true || !('expression' in leaf || 'elemMatch' in leaf)) continue;
      const result =
        'expression' in leaf
          ? leaf.expression(used.context.variables.withRoot(used.document))
          : firstMatch(used.document.get(name), leaf.elemMatch);
      if (result === undefined) shown.delete(name);
      else shown.set(name, result);
    }
  }
}

function computeInto(value: Value | undefined, tree: Tree, used: Used): Value {
  if (Array.isArray(value)) return value.map((element) => computeInto(element, tree, used));
  const inner: Document = value instanceof Map ? new Map(value) : new Map();
  compute(inner, tree, used);
  return inner;
}

function firstMatch(value: Value | undefined, matches: Predicate): Value | undefined {
  const found = Array.isArray(value) ? value.find(matches) : undefined;
  return found === undefined ? undefined : [found];
}

const isComputed = (tree: Tree): boolean =>
  [...tree.values()].some((node) =>
    node instanceof Map
      ? isComputed(node)
      : node.leaf !== true && ('expression' in node.leaf || 'elemMatch' in node.leaf),
  );

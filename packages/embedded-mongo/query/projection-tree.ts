import type { Expression, Variables } from '../aggregation/variables.ts';
import type { Path } from '../bson/path.ts';
import type { Document, Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import type { Predicate } from './match.ts';
import { matchedPosition } from './position.ts';

/** What is asked of one path. `true` includes or excludes it, as the whole projection does. */
export type Leaf =
  | true
  | { expression: Expression }
  | { elemMatch: Predicate }
  | { slice: [number, number] }
  | { positional: Path };
export type Tree = Map<string, Tree | { leaf: Leaf }>;

/** Whether it is an aggregation's $project or the projection of find and findAndModify. */
export interface ProjectionContext {
  variables: Variables;
  filter?: Document;
}

export interface Used {
  document: Document;
  context: ProjectionContext;
}

/** Of arrays only documents and arrays remain, since only they hold fields. */
export function include(value: Document, tree: Tree, used: Used): Document {
  const shown: Document = new Map();
  for (const [name, field] of value) {
    const node = tree.get(name);
    if (node === undefined) continue;
    if (node instanceof Map) {
      const inner = nested(field, (document) => include(document, node, used), false);
      if (inner !== undefined) shown.set(name, inner);
    } else if (node.leaf === true) shown.set(name, field);
    else if (!('expression' in node.leaf)) place(shown, name, field, node.leaf, used);
  }
  return shown;
}

export function exclude(value: Document, tree: Tree, used: Used): Document {
  const shown: Document = new Map();
  for (const [name, field] of value) {
    const node = tree.get(name);
    if (node === undefined) shown.set(name, field);
    else if (node instanceof Map) {
      shown.set(name, nested(field, (document) => exclude(document, node, used), true) as Value);
    } else if (node.leaf !== true && !('expression' in node.leaf)) {
      place(shown, name, field, node.leaf, used);
    }
  }
  return shown;
}

function nested(
  value: Value,
  apply: (document: Document) => Document,
  keep: boolean,
): Value | undefined {
  if (value instanceof Map) return apply(value);
  if (!Array.isArray(value)) return keep ? value : undefined;
  return value.flatMap((element): Value[] => {
    const inner = nested(element, apply, keep);
    return inner === undefined ? [] : [inner];
  });
}

/** $slice, $elemMatch and the positional $. */
function place(
  shown: Document,
  name: string,
  value: Value,
  leaf: Exclude<Leaf, true>,
  used: Used,
): void {
  if ('expression' in leaf) return;
  if ('slice' in leaf) {
    const [first, count] = leaf.slice;
    if (!Array.isArray(value)) shown.set(name, value);
    else {
      const start = first < 0 ? Math.max(0, value.length + first) : first;
      shown.set(name, value.slice(start, start + count));
    }
  } else if ('elemMatch' in leaf) {
    const found = Array.isArray(value) ? value.find(leaf.elemMatch) : undefined;
    if (found !== undefined) shown.set(name, [found]);
  } else if (!Array.isArray(value)) shown.set(name, value);
  else {
    const { document, context } = used;
    const position = matchedPosition(context.filter ?? new Map(), document, leaf.positional);
    if (position === undefined) {
      fail(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    shown.set(name, [value[position as number] as Value]);
  }
}

/** Computed fields come after those of the document, unless they replace one. */
export function compute(shown: Document, tree: Tree, used: Used): void {
  for (const [name, node] of tree) {
    if (node instanceof Map) {
      if (!hasExpression(node)) continue;
      const inner = shown.get(name);
      if (Array.isArray(inner)) {
        shown.set(
          name,
          inner.map((element) => computeInto(element, node, used)),
        );
      } else shown.set(name, computeInto(inner ?? new Map(), node, used));
    } else if (node.leaf !== true && 'expression' in node.leaf) {
      const result = node.leaf.expression(used.context.variables.withRoot(used.document));
      if (result === undefined) shown.delete(name);
      else shown.set(name, result);
    }
  }
}

function computeInto(value: Value, tree: Tree, used: Used): Value {
  const inner: Document = value instanceof Map ? value : new Map();
  compute(inner, tree, used);
  return inner;
}

const hasExpression = (tree: Tree): boolean =>
  [...tree.values()].some((node) =>
    node instanceof Map ? hasExpression(node) : node.leaf !== true && 'expression' in node.leaf,
  );

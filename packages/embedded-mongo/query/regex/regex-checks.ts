import { childrenOf, type ParsedRegex, type RegexNode, someNode } from './regex-syntax.ts';

const isUnbounded = (node: RegexNode): boolean =>
  node.kind === 'repeat' && node.most === Number.POSITIVE_INFINITY;

/** Tells whether an unbounded repetition contains another, such as (a+)+, which may take forever. */
export const repeatsRepeats = (root: RegexNode): boolean =>
  someNode(
    root,
    (node) => isUnbounded(node) && childrenOf(node).some((body) => someNode(body, isUnbounded)),
  );

/**
 * Tells whether a lookbehind has no fixed length, which PCRE refuses. Only the alternatives at its top may differ in
 * length. A reference has no fixed length.
 */
export const variesBehind = (root: RegexNode): boolean =>
  someNode(root, (node) => {
    if (node.kind !== 'look' || !node.behind) return false;
    const { body } = node;
    const options = body.kind === 'choice' ? body.options : [body];
    return options.some((option) => lengthOf(option) === undefined);
  });

/** Returns the number of characters of every match; undefined where matches differ in length. */
function lengthOf(node: RegexNode): number | undefined {
  switch (node.kind) {
    case 'character':
    case 'class':
    case 'any':
      return 1;
    case 'anchor':
    case 'look':
      return 0;
    case 'reference':
      return undefined;
    case 'group':
      return lengthOf(node.body);
    case 'repeat': {
      const length = lengthOf(node.body);
      return length === undefined || node.least !== node.most ? undefined : length * node.least;
    }
    case 'sequence':
      return node.parts.reduce<number | undefined>((sum, part) => {
        const length = lengthOf(part);
        return sum === undefined || length === undefined ? undefined : sum + length;
      }, 0);
    case 'choice': {
      const [first, ...others] = node.options.map(lengthOf);
      return others.every((length) => length === first) ? first : undefined;
    }
  }
}

function canBeEmpty(node: RegexNode): boolean {
  switch (node.kind) {
    case 'character':
    case 'class':
    case 'any':
      return false;
    case 'anchor':
    case 'look':
    case 'reference':
      return true;
    case 'group':
      return canBeEmpty(node.body);
    case 'repeat':
      return node.least === 0 || canBeEmpty(node.body);
    case 'sequence':
      return node.parts.every(canBeEmpty);
    case 'choice':
      return node.options.some(canBeEmpty);
  }
}

/** Tells of a node that can be empty whether it tries all other matches first. */
function isEmptyLast(node: RegexNode): boolean {
  switch (node.kind) {
    case 'group':
      return isEmptyLast(node.body);
    case 'repeat':
      return !node.lazy && (!canBeEmpty(node.body) || isEmptyLast(node.body));
    case 'sequence':
      return node.parts.every(isEmptyLast);
    case 'choice':
      return (
        !node.options.slice(0, -1).some(canBeEmpty) && isEmptyLast(node.options.at(-1) as RegexNode)
      );
  }
  return true;
}

/**
 * Tells whether an optional repetition would prefer an empty match to a longer one, as in (|a)*. JavaScript gives up
 * such an empty match and PCRE keeps it.
 */
export const prefersEmpty = (root: RegexNode): boolean =>
  someNode(
    root,
    (node) =>
      node.kind === 'repeat' &&
      node.most > node.least &&
      canBeEmpty(node.body) &&
      !isEmptyLast(node.body),
  );

const capturesIn = (node: RegexNode): number[] => [
  ...(node.kind === 'group' && node.capture !== undefined ? [node.capture] : []),
  ...childrenOf(node).flatMap(capturesIn),
];

/**
 * Tells whether JavaScript may set groups otherwise than PCRE. JavaScript empties the groups of a repetition each time
 * it is repeated, and gives up an optional repetition that is empty; PCRE does neither.
 */
export const capturesDiffer = (root: RegexNode): boolean =>
  someNode(root, (node) => {
    if (node.kind !== 'repeat') return false;
    const captures = capturesIn(node.body);
    if (captures.length === 0) return false;
    const set = new Set(addGroups(node.body, new Set(), () => {}));
    const keepsOlder = node.most > 1 && captures.some((group) => !set.has(group));
    return keepsOlder || (node.most > node.least && canBeEmpty(node.body));
  });

/** Returns the first reference to a group that may be unset, where PCRE fails and JavaScript matches; else undefined. */
export function unsetReference({ root, groups, names }: ParsedRegex): string | undefined {
  let found: string | undefined;
  addGroups(root, new Set(), (group, set) => {
    const number = typeof group === 'number' ? group : names.get(group);
    if (number === undefined || number > groups || !set.has(number)) found ??= String(group);
  });
  return found;
}

/** Tells whether a reference names a group that the pattern does not have, which PCRE refuses. */
export const refersToNothing = ({ root, groups, names }: ParsedRegex): boolean =>
  someNode(root, (node) => {
    if (node.kind !== 'reference') return false;
    return typeof node.group === 'number' ? node.group > groups : !names.has(node.group);
  });

type Visit = (group: number | string, set: ReadonlySet<number>) => void;

/**
 * Adds to `set` the groups that are certainly set after a match of the node, and returns those that were added. Shows
 * `visit` each reference on the way, with the groups that are set there.
 */
function addGroups(node: RegexNode, set: Set<number>, visit: Visit): number[] {
  switch (node.kind) {
    case 'reference':
      visit(node.group, set);
      return [];
    case 'sequence':
      return node.parts.flatMap((part) => addGroups(part, set, visit));
    case 'choice': {
      const times = new Map<number, number>();
      for (const option of node.options) {
        for (const group of takeBack(set, addGroups(option, set, visit)))
          times.set(group, (times.get(group) ?? 0) + 1);
      }
      const common = [...times].filter(([, n]) => n === node.options.length);
      return common.map(([group]) => addGroup(set, group));
    }
    case 'group': {
      const added = addGroups(node.body, set, visit);
      if (node.capture !== undefined) added.push(addGroup(set, node.capture));
      return added;
    }
    case 'look':
    case 'repeat': {
      const added = addGroups(node.body, set, visit);
      const certain = node.kind === 'look' ? !node.negated : node.least > 0;
      if (certain) return added;
      takeBack(set, added);
    }
  }
  return [];
}

function addGroup(set: Set<number>, group: number): number {
  set.add(group);
  return group;
}

function takeBack(set: Set<number>, groups: number[]): number[] {
  for (const group of groups) set.delete(group);
  return groups;
}

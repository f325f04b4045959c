/** A kind of characters: \d, \w, \s and their complements. */
export type CharacterType = 'd' | 'D' | 'w' | 'W' | 's' | 'S';

/** A part of a character class: a range of code points, or a kind of characters. */
export type ClassPart = { from: number; to: number } | CharacterType;

/** A regular expression of PCRE as a tree. It has only what JavaScript can express. */
export type RegexNode =
  | { kind: 'character'; code: number }
  | { kind: 'any' }
  | { kind: 'class'; negated: boolean; parts: readonly ClassPart[] }
  | { kind: 'anchor'; sign: '^' | '$' | 'b' | 'B' }
  | { kind: 'group'; capture: number | undefined; body: RegexNode }
  | { kind: 'look'; behind: boolean; negated: boolean; body: RegexNode }
  | { kind: 'sequence'; parts: readonly RegexNode[] }
  | { kind: 'choice'; options: readonly RegexNode[] }
  | { kind: 'repeat'; body: RegexNode; least: number; most: number; lazy: boolean }
  | { kind: 'reference'; group: number | string };

export interface ParsedRegex {
  root: RegexNode;
  /** The number of capturing groups. */
  groups: number;
  /** The numbers of the named groups. */
  names: ReadonlyMap<string, number>;
}

/** Returns the nodes directly below a node. */
export function childrenOf(node: RegexNode): readonly RegexNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.parts;
    case 'choice':
      return node.options;
    case 'group':
    case 'look':
    case 'repeat':
      return [node.body];
  }
  return [];
}

/** Tells whether a node or a node below it passes a test. */
export const someNode = (node: RegexNode, test: (node: RegexNode) => boolean): boolean =>
  test(node) || childrenOf(node).some((child) => someNode(child, test));

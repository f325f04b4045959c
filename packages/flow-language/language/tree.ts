import type { Json } from '../plan.ts';

/** A value of the file with its place. Offsets count UTF-16 code units of the text. */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  kind: 'scalar';
  value: null | boolean | number | string;
  start: number;
  end: number;
  /** A block scalar (`|` or `>`): its text starts on the line after its header. */
  block: boolean;
}

export interface ListNode {
  kind: 'list';
  items: readonly Node[];
  start: number;
}

export interface MapNode {
  kind: 'map';
  entries: ReadonlyMap<string, Entry>;
  start: number;
}

export interface Entry {
  key: string;
  keyStart: number;
  value: Node;
}

/** Returns the text of a string node; null for every other node. */
export function stringOf(node: Node): string | null {
  return node.kind === 'scalar' && typeof node.value === 'string' ? node.value : null;
}

/** Tells whether a scalar stands in quotes or in a block of its own. */
export function isQuoted({ start, block }: ScalarNode, text: string): boolean {
  return block || /^["']/.test(text.charAt(start));
}

/** Describes the type of a node for a message. */
export function describe(node: Node): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  return node.value === null ? 'nothing' : `a ${typeof node.value}`;
}

/** Returns the plain value. `fromEntries` defines keys, so that `__proto__` is a key like any other. */
export function toJson(node: Node): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toJson);
  return Object.fromEntries(
    [...node.entries.values()].map(({ key, value }) => [key, toJson(value)]),
  );
}

import type { Context } from './context.ts';
import { joinNames, quote } from './faults.ts';
import { nearestName } from './nearest-name.ts';
import type { Keys, Members } from './shape.ts';
import type { Entry, MapNode, Node } from './tree.ts';

/** Keys that stand beside the key that they belong under, in the order of the text. */
interface Misplaced {
  owner: string;
  entries: Entry[];
  /** Whether only the indentation is wrong: the owner has no value, and the keys follow it. */
  isIndentation: boolean;
}

/**
 * Reports the unknown keys that stand beside the key that they belong under, once for each such key. Returns the other
 * unknown keys, and the keys that are reported with their members.
 */
export function reportMisplaced(
  map: MapNode,
  what: string,
  known: Keys,
  members: Members,
  context: Context,
): { unknown: Entry[]; owners: Set<string> } {
  const { unknown, misplaced } = sortOut(map, known, members, context.text);
  for (const { owner, entries, isIndentation } of misplaced.values()) {
    const [first] = entries;
    if (!first) continue;
    const names = joinNames(entries.map(({ key }) => quote(key)));
    const verb = entries.length === 1 ? 'belongs' : 'belong';
    const write = isIndentation
      ? `indent ${entries.length === 1 ? 'it' : 'them'} further than "${owner}"`
      : `write ${exampleOf(owner, entries, map, members)}`;
    const message = `${names} ${verb} under "${owner}" in ${what}: ${write}.`;
    context.fault(first.keyStart, 'UNKNOWN_KEY', message);
  }
  return { unknown, owners: new Set(misplaced.keys()) };
}

function sortOut(map: MapNode, known: Keys, members: Members, text: string) {
  const unknown: Entry[] = [];
  const misplaced = new Map<string, Misplaced>();
  let empty: Entry | undefined;
  for (const entry of map.entries.values()) {
    if (known.has(entry.key)) {
      empty = isOmitted(entry.value) && known.get(entry.key) !== 'refused' ? entry : undefined;
      continue;
    }
    const isIndentation = empty !== undefined && isMeantUnder(empty, entry, known, members, text);
    const owner = isIndentation ? empty?.key : ownerOf(entry.key, map, members);
    if (owner === undefined) {
      unknown.push(entry);
      continue;
    }
    const others = misplaced.get(owner) ?? { owner, entries: [], isIndentation };
    others.entries.push(entry);
    misplaced.set(owner, others);
  }
  return { unknown, misplaced };
}

/** Tells whether an unknown key behind a key without a value is a member of that key, at the wrong indentation. */
function isMeantUnder(
  empty: Entry,
  { key, keyStart }: Entry,
  known: Keys,
  members: Members,
  text: string,
): boolean {
  if (!text.slice(empty.value.start, keyStart).includes('\n')) return false;
  return members[empty.key]?.keys.has(key) === true || nearestName(key, known.keys()) === undefined;
}

/** Finds the key of the map, absent or without a map as its value, that has the unknown key as a member. */
function ownerOf(key: string, map: MapNode, members: Members): string | undefined {
  return Object.keys(members).find(
    (owner) => members[owner]?.keys.has(key) && map.entries.get(owner)?.value.kind !== 'map',
  );
}

function isOmitted(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null && node.start === node.end;
}

/** Writes the owner with its members, such as `error: { status: ..., title: ... }`. */
function exampleOf(
  owner: string,
  entries: readonly Entry[],
  map: MapNode,
  members: Members,
): string {
  const names = entries.map(({ key }) => key);
  const scalar = members[owner]?.scalar;
  const first = scalar !== undefined && map.entries.has(owner) ? [scalar] : [];
  const written = [...first, ...names].map((name) => `${name}: ...`);
  return `${owner}: { ${joinNames(written)} }`;
}

import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { insteadOfRefused } from './refused-words.ts';
import { describe, type Entry, type MapNode, type Node, stringOf } from './tree.ts';
import { reportUnknown } from './unknown-keys.ts';

/** The known keys of a map, each with its rule in this profile of the DSL. */
export type Keys = ReadonlyMap<string, 'required' | 'optional' | 'refused'>;

/** Makes the keys of a map from words. `refused` are keywords of the DSL that this profile never supports. */
export function keys(words: { required?: string; optional?: string; refused?: string }): Keys {
  const all = (text: string | undefined) => text?.split(/\s+/) ?? [];
  return new Map([
    ...all(words.required).map((key) => [key, 'required'] as const),
    ...all(words.optional).map((key) => [key, 'optional'] as const),
    ...all(words.refused).map((key) => [key, 'refused'] as const),
  ]);
}

/** The entries of a checked map whose keys this profile supports. */
export class Fields {
  readonly node: MapNode;
  readonly #offered: ReadonlyMap<string, Entry>;

  constructor(node: MapNode, offered: ReadonlyMap<string, Entry>) {
    this.node = node;
    this.#offered = offered;
  }

  get(key: string): Node | undefined {
    return this.#offered.get(key)?.value;
  }

  /** Returns the offset of a field's key. */
  keyStart(key: string): number {
    return this.#offered.get(key)?.keyStart ?? this.node.start;
  }

  /** Reads a field that may be absent. */
  read<T>(key: string, read: (node: Node) => T): T | undefined {
    const node = this.get(key);
    return node && read(node);
  }

  keys(): string[] {
    return [...this.#offered.keys()];
  }
}

/**
 * Reads a map: reports a value that is no map, unknown and refused keys, and missing required keys. `what` names the
 * map in messages. An unknown key that is probably a misspelt one is reported once, and its value is read as the
 * meant field's.
 */
export function readFields(
  node: Node,
  what: string,
  known: Keys,
  context: Context,
): Fields | undefined {
  const map = readMap(node, what, context);
  if (!map) return undefined;
  const offered = new Map<string, Entry>();
  const unknown: Entry[] = [];
  for (const entry of map.entries.values()) {
    const rule = known.get(entry.key);
    if (rule === undefined) unknown.push(entry);
    else if (rule !== 'refused') offered.set(entry.key, entry);
    else {
      const message = `${quote(entry.key)} in ${what} is not offered by this service${insteadOfRefused(entry.key)}.`;
      context.fault(entry.keyStart, 'REFUSED', message);
    }
  }
  if (unknown.length > 0 || lacksRequired(map, known)) {
    for (const [key, entry] of reportUnknown(unknown, map, what, known, context)) {
      offered.set(key, entry);
    }
  }
  return new Fields(map, offered);
}

function lacksRequired({ entries }: MapNode, known: Keys): boolean {
  for (const [key, rule] of known) {
    if (rule === 'required' && !entries.has(key)) return true;
  }
  return false;
}

export function readMap(node: Node, what: string, context: Context): MapNode | undefined {
  if (node.kind === 'map') return node;
  wrongType(node, what, 'a map', context);
  return undefined;
}

/** Reads a map with exactly one key, which is a name, such as an item of a task list. */
export function readNamed(node: Node, what: string, context: Context): Entry | undefined {
  const map = readMap(node, what, context);
  if (!map) return undefined;
  const [entry, second] = map.entries.values();
  if (entry && !second) return entry;
  const name = map.entries.get('name')?.value ?? map.entries.get('id')?.value;
  const given = name && stringOf(name);
  const hint = given ? `: write "- ${given}:" and the rest below it, indented` : '';
  const message = `${what} is a map with exactly one key, its name; this one has ${map.entries.size}${hint}.`;
  context.fault(second?.keyStart ?? map, 'INVALID_VALUE', message);
  return undefined;
}

export function readList(node: Node, what: string, context: Context): readonly Node[] {
  if (node.kind === 'list') return node.items;
  wrongType(node, what, 'a list', context);
  return [];
}

export function wrongType(node: Node, what: string, wanted: string, context: Context): void {
  context.fault(node, 'WRONG_TYPE', `${what} must be ${wanted}, not ${describe(node)}.`);
}

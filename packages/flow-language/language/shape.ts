import type { Context } from './context.ts';
import { inQuotes, quote } from './faults.ts';
import { reportMisplaced } from './misplaced-keys.ts';
import { insteadOfRefused } from './refused-words.ts';
import { describe, type Entry, type MapNode, type Node, stringOf } from './tree.ts';
import { reportUnknown } from './unknown-keys.ts';

/** The known keys of a map, each with its rule in this profile of the DSL. */
export type Keys = ReadonlyMap<string, 'required' | 'optional' | 'refused'>;

/** The keys that belong under a key of a map, and the member that a scalar at its place means. */
export type Members = Readonly<Record<string, { keys: Keys; scalar?: string }>>;

/** The advice of messages for a map that is written in another form. */
export interface Advice {
  /** The usual form of the map, for a value that is no map. */
  form?: string;
  /** The members of the map's keys, which authors write beside these keys. */
  members?: Members;
  /** Says what to write for an unknown key. */
  instead?: (entry: Entry) => string | undefined;
}

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
  advice: Advice = {},
): Fields | undefined {
  const map = readMap(node, what, context, advice.form);
  if (!map) return undefined;
  const offered = new Map<string, Entry>();
  let hasUnknown = false;
  for (const entry of map.entries.values()) {
    const rule = known.get(entry.key);
    if (rule === undefined) hasUnknown = true;
    else if (rule !== 'refused') offered.set(entry.key, entry);
    else {
      const message = `${quote(entry.key)} in ${what} is not offered by this service${insteadOfRefused(entry.key)}.`;
      context.fault(entry.keyStart, 'REFUSED', message);
    }
  }
  if (hasUnknown || lacksRequired(map, known)) {
    const members = advice.members ?? {};
    const { unknown, owners } = reportMisplaced(map, what, known, members, context);
    for (const owner of owners) offered.delete(owner);
    const given = new Set([...map.entries.keys(), ...owners]);
    const place = { map, what, known, given, instead: advice.instead };
    for (const [key, entry] of reportUnknown(unknown, place, context)) offered.set(key, entry);
  }
  return new Fields(map, offered);
}

function lacksRequired({ entries }: MapNode, known: Keys): boolean {
  for (const [key, rule] of known) {
    if (rule === 'required' && !entries.has(key)) return true;
  }
  return false;
}

/** Tells whether a value is a map with the key. */
export function hasKey(node: Node, key: string): boolean {
  return node.kind === 'map' && node.entries.has(key);
}

/** Reads a map. `form` is the usual form of the map, for the message. */
export function readMap(
  node: Node,
  what: string,
  context: Context,
  form?: string,
): MapNode | undefined {
  if (node.kind === 'map') return node;
  const wanted = form === undefined ? 'a map' : `a map such as ${form}`;
  wrongType(node, what, wanted, context, hintOfColon(node));
  return undefined;
}

/** Matches a key and its value without a space behind the colon, which YAML takes for text. */
const WITHOUT_SPACE = /^([A-Za-z_][\w-]*):([^\s/:]\S*)/;

/** Asks for the space behind a colon; empty where the value is no such text. */
function hintOfColon(node: Node): string {
  const [, key, value = ''] = WITHOUT_SPACE.exec(stringOf(node) ?? '') ?? [];
  if (key === undefined) return '';
  return `: a key ends with a colon and a space, ${inQuotes(`${key}: ${value}`).slice(1, -1)}`;
}

/** Reads a map with exactly one key, which is a name, such as an item of a task list. */
export function readNamed(node: Node, what: string, context: Context): Entry | undefined {
  const map = readMap(node, what, context);
  if (!map) return undefined;
  const [entry, second] = map.entries.values();
  if (entry && !second) return entry;
  const message = `${what} is a map with exactly one key, its name; this one has ${map.entries.size}${hintOfNames(map)}.`;
  context.fault(second?.keyStart ?? map, 'INVALID_VALUE', message);
  return undefined;
}

/** Says how the keys of an item with several keys are meant; empty where this is unknown. */
function hintOfNames({ entries }: MapNode): string {
  const [first, second] = entries.values();
  if (!first || !second) return '';
  const name = entries.get('name')?.value ?? entries.get('id')?.value;
  const given = name && stringOf(name);
  if (given) return `: write "- ${given}:" and the rest below it, indented`;
  const isEmpty = first.value.kind === 'scalar' && first.value.value === null;
  if (isEmpty) return `: indent ${quote(second.key)} further than ${quote(first.key)}`;
  const areItems = first.value.kind === 'map' && second.value.kind === 'map';
  return areItems ? `: write "- ${shorten(second.key)}:" for an item of its own` : '';
}

export function readList(node: Node, what: string, context: Context): readonly Node[] {
  if (node.kind === 'list') return node.items;
  const [first] = node.kind === 'map' ? node.entries.keys() : [];
  const hint = first === undefined ? '' : `: write "- ${shorten(first)}:" for each of its items`;
  wrongType(node, what, 'a list', context, hint);
  return [];
}

/** Reports a value of the wrong type. The hint is appended to the message. */
export function wrongType(
  node: Node,
  what: string,
  wanted: string,
  context: Context,
  hint = '',
): void {
  context.fault(node, 'WRONG_TYPE', `${what} must be ${wanted}, not ${describe(node)}${hint}.`);
}

/** Shortens a name of the author for a message. */
function shorten(name: string): string {
  return quote(name).slice(1, -1);
}

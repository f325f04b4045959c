import { endOfString } from '../json-parse.ts';
import type { Faults } from './faults.ts';
import { LIMITS, TOO_MANY_NODES } from './limits.ts';
import type { Entry, Node } from './tree.ts';

/** Levels of a file that this reader takes. `yaml` reads a deeper file. */
const MAX_DEPTH = 64;
/** Characters of a key, as it is written. A longer key is a fault in YAML, which `yaml` reports. */
const MAX_KEY = 1_000;
/** The most digits of a number. `yaml` reads a file with a longer number. */
const MAX_DIGITS = 15;

/** Matches the white space between values, without tabs and carriage returns, which have a meaning in YAML. */
const SPACE = /[ \n]*/y;
const NUMBER = /-?[\d.eE+-]+/y;
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

/**
 * Reads a file that is JSON, and has no fault as YAML, as the same tree that `readYaml` makes of it. Undefined for any
 * other file, and for each that YAML might read otherwise: then `readYaml` decides. Programs write flow files as JSON,
 * and `yaml` takes many times as long. Null, with a fault, for a file with too many values.
 */
export function readJson(text: string, faults: Faults): Node | null | undefined {
  if (!text.startsWith('{') || Buffer.byteLength(text) > LIMITS.textBytes) return undefined;
  if (!text.isWellFormed() || !isJson(text)) return undefined;
  const reader = new JsonReader(text);
  const root = reader.read();
  if (root || reader.tooManyAt === null) return root ?? undefined;
  faults.add(reader.tooManyAt, 'TOO_MANY_NODES', TOO_MANY_NODES);
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds the values of a text that is valid JSON. A method returns null, or undefined, for text that YAML might read otherwise. */
class JsonReader {
  readonly #text: string;
  #at = 0;
  #nodes = 0;
  /** The offset of the first value beyond the limit; null where there is none. */
  tooManyAt: number | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Node | null {
    const root = this.#value(0);
    if (root) this.#skip(SPACE);
    return root && this.#at === this.#text.length ? root : null;
  }

  #value(depth: number): Node | null {
    this.#nodes += 1;
    const start = this.#at;
    if (this.#nodes > LIMITS.nodes) this.tooManyAt = start;
    if (this.#nodes > LIMITS.nodes || depth > MAX_DEPTH) return null;
    const first = this.#text.charAt(start);
    if (first === '{') return this.#map(start, depth);
    if (first === '[') return this.#list(start, depth);
    const value = first === '"' ? this.#string() : this.#plain();
    if (value === undefined) return null;
    return { kind: 'scalar', value, start, end: this.#at, block: false };
  }

  #map(start: number, depth: number): Node | null {
    const entries = new Map<string, Entry>();
    for (let more = this.#open('}'); more; more = this.#next()) {
      const keyStart = this.#at;
      const key = this.#string();
      const isUsual = key !== undefined && this.#at - keyStart <= MAX_KEY && !entries.has(key);
      // YAML wants the colon on the line of its key.
      if (!isUsual || this.#text.charAt(this.#at) !== ':') return null;
      this.#at += 1;
      this.#skip(SPACE);
      const value = this.#value(depth + 1);
      if (!value) return null;
      entries.set(key, { key, keyStart, value });
    }
    if (!this.#close('}') || entries.size > LIMITS.keysInOneMap) return null;
    return { kind: 'map', entries, start };
  }

  #list(start: number, depth: number): Node | null {
    const items: Node[] = [];
    for (let more = this.#open(']'); more; more = this.#next()) {
      const item = this.#value(depth + 1);
      if (!item) return null;
      items.push(item);
    }
    return this.#close(']') ? { kind: 'list', items, start } : null;
  }

  /** Enters a map or a list. False when it is empty. */
  #open(end: string): boolean {
    this.#at += 1;
    this.#skip(SPACE);
    return this.#text.charAt(this.#at) !== end;
  }

  /** Goes behind a comma to the next element. False when there is none. */
  #next(): boolean {
    this.#skip(SPACE);
    if (this.#text.charAt(this.#at) !== ',') return false;
    this.#at += 1;
    this.#skip(SPACE);
    return true;
  }

  #close(end: string): boolean {
    if (this.#text.charAt(this.#at) !== end) return false;
    this.#at += 1;
    return true;
  }

  /** Reads a string, which begins here. */
  #string(): string | undefined {
    const from = this.#at;
    if (this.#text.charAt(from) !== '"') return undefined;
    const end = endOfString(this.#text, from + 1);
    this.#at = end + 1;
    const written = this.#text.slice(from + 1, end);
    if (!written.includes('\\')) return written;
    const value = JSON.parse(`"${written}"`) as string;
    return value.includes('\0') || !value.isWellFormed() ? undefined : value;
  }

  #plain(): number | boolean | null | undefined {
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const digits = this.#skip(NUMBER);
    const value = Number(digits);
    return digits && digits.length <= MAX_DIGITS && Number.isFinite(value) ? value : undefined;
  }

  /** Skips the match of the pattern at the present offset, and returns the match. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

/**
 * `JSON.parse` for an engine that reads escaped keys wrong (nodejs/node#63785). After V8 has read an object with the key
 * `\`, it reads the key `"`, which is written `\"`, as `\` too: it compares the written key, cut to the length of the
 * key that is meant, with the keys that earlier objects had there. So only escaped keys are read wrong.
 */

type Revive = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
/** An object or a list. */
type Composite = Record<string, unknown>;
/** The strings, numbers, booleans and nulls of an object or a list by their keys, with the texts that were read. */
type Sources = Map<Composite, Map<string, { value: unknown; source: string }>>;

const nativeParse = JSON.parse as (text: string, revive?: unknown) => unknown;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Replaces `JSON.parse` of this realm by a function that reads every key right and is otherwise the same. The object
 * `JSON` is replaced as well, because it may be frozen. Call this before code is loaded that keeps either of them.
 */
export function installJsonParse(): void {
  globalThis.JSON = Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(JSON),
    parse: { value: parseJsonText, writable: true, configurable: true },
  });
}

/** The native function reads texts without an escaped key, and throws for each text that is not JSON. */
function parseJsonText(input: unknown, revive?: unknown): unknown {
  const text = typeof input === 'string' ? input : `${input}`;
  if (!hasEscapedKey(text)) return nativeParse(text, revive);
  nativeParse(text);
  if (typeof revive !== 'function') return new ValueBuilder(text).build()[''];
  const sources: Sources = new Map();
  return reviveMember(new ValueBuilder(text, sources).build(), '', revive as Revive, sources);
}

/** Whether a JSON text has an escaped key. The text need not be JSON, and the time is linear in its length. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    at = endOfString(text, at) + 1;
    while (text.charCodeAt(at) <= SPACE) at++;
    if (text.charCodeAt(at) === COLON) return true;
  }
  return false;
}

/**
 * Returns the position of the quote that ends a string: the first with an even number of backslashes before; the text's
 * length where no quote does.
 *
 * @param from a position in the string, not behind a backslash that belongs to an escape
 */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Builds the value of a text that is valid JSON. The stack does not grow with the nesting of the text. */
class ValueBuilder {
  readonly #text: string;
  readonly #sources: Sources | undefined;
  readonly #outer: Composite[] = [];
  #part: Composite = {};
  /** The key of the next value; undefined before a key, and in a list. */
  #key: string | undefined = '';

  constructor(text: string, sources?: Sources) {
    this.#text = text;
    this.#sources = sources;
  }

  /** Returns an object whose member with the empty key is the value. */
  build(): Composite {
    for (let at = 0; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code <= SPACE || code === COMMA || code === COLON) continue;
      if (code === OPENING_BRACE) this.#open({});
      else if (code === OPENING_BRACKET) this.#open([]);
      else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#close();
      else at = this.#readScalar(at, code);
    }
    return this.#part;
  }

  #open(part: object): void {
    this.#put(part);
    this.#outer.push(this.#part);
    this.#part = part as Composite;
  }

  #close(): void {
    this.#part = this.#outer.pop() ?? {};
  }

  /** Reads a key, or a value that is no object and no list. Returns the position of its last character. */
  #readScalar(at: number, first: number): number {
    const end = first === QUOTE ? endOfString(this.#text, at + 1) : endOfWord(this.#text, at);
    const source = this.#text.slice(at, end + 1);
    const value = scalarOf(source, first);
    if (this.#key === undefined && !Array.isArray(this.#part)) this.#key = value as string;
    else this.#put(value, source);
    return end;
  }

  #put(value: unknown, source?: string): void {
    if (source !== undefined && this.#sources) {
      const known = this.#sources.get(this.#part) ?? new Map();
      const key = this.#key ?? String(this.#part.length);
      this.#sources.set(this.#part, known.set(key, { value, source }));
    }
    if (Array.isArray(this.#part)) this.#part.push(value);
    else setMember(this.#part, this.#key ?? '', value);
    this.#key = undefined;
  }
}

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The value of a string, a number or a word. The native function reads the escapes of a string. */
function scalarOf(source: string, first: number): unknown {
  if (first === QUOTE) return source.includes('\\') ? nativeParse(source) : source.slice(1, -1);
  return WORDS.has(source) ? WORDS.get(source) : Number(source);
}

/** Returns the position of the last character of a number, `true`, `false` or `null`. */
function endOfWord(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA) break;
    if (code === CLOSING_BRACE || code === CLOSING_BRACKET) break;
  }
  return at - 1;
}

/** A key that is an index. V8 keeps such members in an array, with room for up to 1,500 of them for one. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
/** The greatest index. An object that has had it keeps its indexes in a table, as those of the native function. */
const GREATEST_INDEX = '4294967294';

/** An assignment would meet what a prototype has by that name: a setter, or a member that is frozen. */
function setMember(part: Composite, key: string, value: unknown): void {
  if (INDEX.test(key) && !Object.hasOwn(part, GREATEST_INDEX)) {
    part[GREATEST_INDEX] = null;
    Reflect.deleteProperty(part, GREATEST_INDEX);
  }
  if (!(key in Object.prototype)) part[key] = value;
  else Reflect.defineProperty(part, key, dataProperty(value));
}

const dataProperty = (value: unknown): PropertyDescriptor => ({
  value,
  writable: true,
  enumerable: true,
  configurable: true,
});

/** Replaces a member by what `revive` makes of it, after the members of the member (ECMA-262, InternalizeJSONProperty). */
function reviveMember(part: Composite, key: string, revive: Revive, sources: Sources): unknown {
  const value = part[key];
  if (typeof value === 'object' && value !== null) {
    const inner = value as Composite;
    for (const name of Array.isArray(value) ? [...value.keys()].map(String) : Object.keys(value)) {
      const revived = reviveMember(inner, name, revive, sources);
      if (revived === undefined) Reflect.deleteProperty(inner, name);
      else Reflect.defineProperty(inner, name, dataProperty(revived));
    }
  }
  const known = sources.get(part)?.get(key);
  const isRead = known !== undefined && Object.is(known.value, value);
  return revive.call(part, key, value, isRead ? { source: known.source } : {});
}

/** The first fault of a JSON text. */
export interface JsonFault {
  /** Characters before the fault. */
  position: number;
  expected: string;
}

class Fault extends Error {
  readonly found: JsonFault;
  /** Characters before the string with the fault; for a fault outside strings its own position. */
  readonly start: number;

  constructor(position: number, expected: string, start = position) {
    super(expected);
    this.found = { position, expected };
    this.start = start;
  }
}

/** The end of a string, the beginning of an escape, or a character that JSON forbids in a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters
const END_OR_ESCAPE = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const SPACE = /[ \t\r\n]*/y;

/** Finds the first fault of a JSON text (RFC 8259); null for a text without fault. The messages of `JSON.parse` often name no position. */
export const findJsonFault = (text: string): JsonFault | null => findFault(text)?.found ?? null;

/** The offset of the first fault of a JSON text, or of the string in which the fault stands; null for a text without fault. */
export const startOfJsonFault = (text: string): number | null => findFault(text)?.start ?? null;

/** The time is linear in the length of the text, and the stack grows with its nesting. */
function findFault(text: string): Fault | null {
  try {
    new JsonReader(text).readText();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Reads a JSON text by its grammar. Throws a `Fault` at the first character that the grammar does not allow. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): void {
    this.#readValue();
    if (this.#at < this.#text.length) throw new Fault(this.#at, 'the end of the line');
  }

  #readValue(): void {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === '{') this.#readItems('}', () => this.#readMember());
    else if (next === '[') this.#readItems(']', () => this.#readValue());
    else if (next === '"') this.#readString();
    else if (!this.#take(SCALAR)) throw new Fault(this.#at, 'a value');
    this.#take(SPACE);
  }

  #readItems(end: string, readItem: () => void): void {
    this.#at++;
    this.#take(SPACE);
    if (this.#skip(end)) return;
    for (;;) {
      readItem();
      if (this.#skip(end)) return;
      if (!this.#skip(',')) throw new Fault(this.#at, `"," or "${end}"`);
      this.#take(SPACE);
    }
  }

  #readMember(): void {
    if (this.#text[this.#at] !== '"') throw new Fault(this.#at, 'a name in double quotes');
    this.#readString();
    this.#take(SPACE);
    if (!this.#skip(':')) throw new Fault(this.#at, '":"');
    this.#readValue();
  }

  /** One expression for the whole string would need a stack that grows with the length of the string. */
  #readString(): void {
    const start = this.#at;
    this.#at++;
    do this.#goTo(END_OR_ESCAPE);
    while (this.#take(ESCAPE));
    if (this.#skip('"')) return;
    const isEscape = this.#text[this.#at] === '\\';
    const expected = isEscape ? 'an escape such as \\n or \\u00e9' : 'the closing "';
    throw new Fault(this.#at, expected, start);
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Steps to the next match, or to the end of the text. */
  #goTo(expression: RegExp): void {
    expression.lastIndex = this.#at;
    this.#at = expression.exec(this.#text)?.index ?? this.#text.length;
  }

  /** Whether the text goes on with what the expression matches; steps behind the match. */
  #take(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    const [match] = expression.exec(this.#text) ?? [];
    this.#at += match?.length ?? 0;
    return match !== undefined;
  }
}

import type { Json } from '../plan.ts';

/** A value as JSON text, because the parsed value may take twenty times as much memory. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): Json {
    return parseJson(this.text);
  }
}

/** The JSON texts of lists and maps, for as long as the lists and maps are referenced. */
const written = new WeakMap<object, JsonText>();
/** The JSON texts of one interpretation: a value that passes through many tasks is serialised once. */
export class Texts {
  /** The latest string and its text, because tasks mostly pass the same string on. */
  #last: { value: string; text: JsonText } = { value: '', text: new JsonText('""') };

  of(value: Json): JsonText {
    if (typeof value !== 'string') return textOf(value);
    if (value !== this.#last.value) this.#last = { value, text: write(value) };
    return this.#last.text;
  }
}

function textOf(value: Json): JsonText {
  if (typeof value !== 'object' || value === null) return write(value);
  const text = written.get(value) ?? write(value);
  written.set(value, text);
  return text;
}

export const jsonOf = (value: Json): string => textOf(value).text;

/** Parses a text that `JSON.stringify` made. `jsonOf` of the value returns the same text without serialising again. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (typeof value === 'object' && value !== null) written.set(value, new JsonText(text));
  return value;
}

const write = (value: Json): JsonText => new JsonText(JSON.stringify(value));

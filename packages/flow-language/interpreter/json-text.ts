import type { Json } from '../plan.ts';

/** A value as the text of its JSON, because parsed it may take twenty times as much memory. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): Json {
    return parseJson(this.text);
  }
}

/** Of lists and maps, for as long as somebody holds them. */
const written = new WeakMap<object, JsonText>();
/** The texts of one interpretation: a value that passes through many tasks is written out once. */
export class Texts {
  /** Mostly a string is passed on from task to task. */
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

/** The value of a text that `JSON.stringify` made. `jsonOf` gives the same text for it, and writes no other. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (typeof value === 'object' && value !== null) written.set(value, new JsonText(text));
  return value;
}

const write = (value: Json): JsonText => new JsonText(JSON.stringify(value));

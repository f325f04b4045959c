import type { Json } from '../plan.ts';

/**
 * A value as the text of its JSON, because parsed it may take twenty times as much memory. To the
 * sandbox it goes as the value: what is sent there is written as JSON anyway.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): Json {
    return JSON.parse(this.text) as Json;
  }
}

/** Of lists and maps, for as long as somebody holds them. */
const written = new WeakMap<object, JsonText>();
/** Of a string: mostly it is passed on from task to task. */
let lastString: { value: string; text: JsonText } = { value: '', text: new JsonText('""') };

/** A value that passes through many tasks is written out once. */
export function textOf(value: Json): JsonText {
  if (typeof value === 'string') {
    if (value !== lastString.value) lastString = { value, text: write(value) };
    return lastString.text;
  }
  if (typeof value !== 'object' || value === null) return write(value);
  const text = written.get(value) ?? write(value);
  written.set(value, text);
  return text;
}

export const jsonOf = (value: Json): string => textOf(value).text;

const write = (value: Json): JsonText => new JsonText(JSON.stringify(value));

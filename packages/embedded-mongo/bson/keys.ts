import { rankOf } from './compare.ts';
import {
  begin,
  escaped,
  finish,
  invert,
  position,
  put,
  raw,
  terminated,
  text,
  uint32,
  uint64,
} from './key-buffer.ts';
import { numberKey } from './number-keys.ts';
import { isNumeric } from './numbers.ts';
import {
  BinData,
  type Document,
  Double,
  isSymbol,
  ObjectId,
  Regex,
  Singular,
  symbolText,
  Timestamp,
  type Value,
} from './values.ts';

/**
 * Makes a key whose order byte by byte (memcmp) is the order of the values. Equal values have equal keys: 1, 1.0 and
 * NumberDecimal("1.00") have the same key. No key is the beginning of another. `descending` marks descending values.
 */
export function keyOf(values: readonly Value[], descending?: readonly boolean[]): Buffer {
  begin();
  for (let i = 0; i < values.length; i++) {
    const start = position();
    write(values[i] as Value);
    if (descending?.[i]) invert(start);
  }
  return finish();
}

/** Returns the least byte string that is greater than all byte strings that begin with `key`. */
export function keyAfter(key: Buffer): Buffer {
  let end = key.length;
  while (end > 0 && key[end - 1] === 255) end--;
  if (end === 0) return Buffer.from([255, 255]);
  const next = Buffer.from(key.subarray(0, end));
  next[end - 1] = (next[end - 1] as number) + 1;
  return next;
}

export const inverted = (key: Buffer): Buffer => Buffer.from(key.map((byte) => 255 - byte));

/** The start of the keys of all numbers but NaN. */
export const NUMBERS = Buffer.from([10, 1]);

/** Returns the start of the keys of all strings that begin with `prefix`. */
export function stringPrefixKey(prefix: string): Buffer {
  begin();
  put(15);
  escaped(Buffer.from(prefix));
  return finish();
}

function write(value: Value): void {
  put(rankOf(value));
  if (typeof value === 'string') text(value);
  else if (value === null || value instanceof Singular) return;
  else if (typeof value === 'boolean') put(value ? 1 : 0);
  else if (isNumeric(value)) numberKey(value);
  else if (value instanceof ObjectId) raw(value.bytes);
  else if (value instanceof Date) numberKey(new Double(value.getTime()));
  else if (value instanceof Map) fields(value);
  else if (Array.isArray(value)) elements(value);
  else if (value instanceof Timestamp) uint64(value.value);
  else if (value instanceof BinData) binary(value);
  else if (value instanceof Regex) {
    text(value.pattern);
    text(value.options);
  } else if (isSymbol(value)) text(symbolText(value));
  else terminated(value.bytes);
}

function elements(array: Value[]): void {
  for (const element of array) write(element);
  put(0);
}

function fields(document: Document): void {
  for (const [name, value] of document) {
    put(rankOf(value));
    text(name);
    write(value);
  }
  put(0);
}

function binary({ bytes, subtype }: BinData): void {
  uint32(bytes.length);
  put(subtype);
  raw(bytes);
}

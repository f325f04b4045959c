import { compareNumbers, type Numeric } from './numbers.ts';
import {
  type BinData,
  type Deprecated,
  type Document,
  type ObjectId,
  type Regex,
  symbolText,
  type Timestamp,
  TYPE,
  typeOf,
  type Value,
} from './values.ts';

/**
 * The ranks of types in the manual's comparison order: MinKey, undefined, null, numbers, strings and symbols, objects,
 * arrays, binary data, object ids, booleans, dates, timestamps, regular expressions, the rest, MaxKey. Each rank is
 * also the first byte of a key, so 0 and 255 are not ranks.
 */
const RANKS = new Map<number, number>([
  [TYPE.minKey, 1],
  [TYPE.undefined, 2],
  [TYPE.null, 5],
  [TYPE.int, 10],
  [TYPE.long, 10],
  [TYPE.double, 10],
  [TYPE.decimal, 10],
  [TYPE.string, 15],
  [TYPE.symbol, 15],
  [TYPE.object, 20],
  [TYPE.array, 25],
  [TYPE.binData, 30],
  [TYPE.objectId, 35],
  [TYPE.bool, 40],
  [TYPE.date, 45],
  [TYPE.timestamp, 47],
  [TYPE.regex, 50],
  [TYPE.dbPointer, 55],
  [TYPE.javascript, 60],
  [TYPE.javascriptWithScope, 65],
  [TYPE.maxKey, 254],
]);

export const RANK = { null: 5, number: 10, string: 15, array: 25, regex: 50 } as const;

const RANK_BY_TYPE = Uint8Array.from({ length: 256 }, (_, type) => RANKS.get(type) ?? 0);

export const rankOf = (value: Value): number => RANK_BY_TYPE[typeOf(value)] as number;

/** Compares two values by the manual's "Comparison/Sort Order". Returns a negative number, zero or a positive number. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  return difference !== 0 ? difference : compareWithin(rank, a, b);
}

export const equalValues = (a: Value, b: Value): boolean => compareValues(a, b) === 0;

function compareWithin(rank: number, a: Value, b: Value): number {
  switch (rank) {
    case 10:
      return compareNumbers(a as Numeric, b as Numeric);
    case 15:
      return compareStrings(textOf(a as Text), textOf(b as Text));
    case 20:
      return compareDocuments(a as Document, b as Document);
    case 25:
      return compareArrays(a as Value[], b as Value[]);
    case 30:
      return compareBinary(a as BinData, b as BinData);
    case 40:
      return Number(a) - Number(b);
    case 45:
      return (a as Date).getTime() - (b as Date).getTime();
    case 47: {
      const [x, y] = [(a as Timestamp).value, (b as Timestamp).value];
      return x < y ? -1 : x > y ? 1 : 0;
    }
    case 50:
      return (
        compareStrings((a as Regex).pattern, (b as Regex).pattern) ||
        compareStrings((a as Regex).options, (b as Regex).options)
      );
    case 35:
    case 55:
    case 60:
    case 65:
      return Buffer.compare((a as ObjectId | Deprecated).bytes, (b as ObjectId | Deprecated).bytes);
  }
  return 0;
}

/** A string, or a symbol, which equals the string of its characters. */
type Text = string | Deprecated;

const textOf = (value: Text): string => (typeof value === 'string' ? value : symbolText(value));

const SURROGATE = /[\ud800-\udfff]/;

/** Compares by the bytes of UTF-8, because JavaScript orders strings with surrogates differently. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Compares field by field: type, then name, then value. Of documents that begin alike the shorter comes first. */
function compareDocuments(a: Document, b: Document): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const next = others.next();
    if (next.done) return 1;
    const [otherName, other] = next.value;
    const order =
      rankOf(value) - rankOf(other) ||
      compareStrings(name, otherName) ||
      compareValues(value, other);
    if (order !== 0) return order;
  }
  return a.size - b.size;
}

function compareArrays(a: Value[], b: Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i] as Value, b[i] as Value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const compareBinary = (a: BinData, b: BinData): number =>
  a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);

import type { Decimal128 } from 'bson';

/**
 * A BSON value in JavaScript, without loss. Documents are Maps, so that a field may have any name (such as `__proto__`
 * and `1`) and keeps its place. Int, long, double and Decimal128 keep their type.
 */
export type Value =
  | number // a 32-bit integer, and nothing else
  | bigint // a 64-bit integer
  | Double
  | Decimal128
  | string
  | boolean
  | null
  | Document
  | Value[]
  | Date
  | ObjectId
  | BinData
  | Regex
  | Timestamp
  | Deprecated
  | Singular;

export type Document = Map<string, Value>;

/** The numbers of types in the BSON specification, which $type accepts. */
export const TYPE = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  maxKey: 127,
  minKey: 255,
} as const;

const NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, code]) => [code, name]));

export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class ObjectId {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

export class BinData {
  readonly subtype: number;
  readonly bytes: Buffer;
  constructor(subtype: number, bytes: Buffer) {
    this.subtype = subtype;
    this.bytes = bytes;
  }
}

export class Regex {
  readonly pattern: string;
  readonly options: string;
  constructor(pattern: string, options: string) {
    this.pattern = pattern;
    this.options = options;
  }
}

/** A BSON timestamp: seconds in the upper 32 bits, an ordinal in the lower 32 bits. */
export class Timestamp {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/**
 * A value of type dbPointer, javascript, symbol or javascriptWithScope, kept as bytes and ordered by its bytes. A symbol
 * is ordered as the string of its characters.
 */
export class Deprecated {
  readonly type: number;
  readonly bytes: Buffer;
  constructor(type: number, bytes: Buffer) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** Tells whether a value is a symbol, which equals the string of its characters. */
export const isSymbol = (
  value: Value | undefined,
): value is Deprecated & { readonly type: typeof TYPE.symbol } =>
  value instanceof Deprecated && value.type === TYPE.symbol;

/** Returns the characters of a symbol. Its bytes are a length of 4 bytes, the characters and a zero. */
export const symbolText = ({ bytes }: Deprecated): string =>
  bytes.toString('utf8', 4, bytes.length - 1);

/** A value of a type that has one value only: MinKey, MaxKey and the deprecated undefined. */
export class Singular {
  readonly type: number;
  constructor(type: number) {
    this.type = type;
  }
}
export const MIN_KEY = new Singular(TYPE.minKey);
export const MAX_KEY = new Singular(TYPE.maxKey);
export const UNDEFINED = new Singular(TYPE.undefined);

export function typeOf(value: Value): number {
  switch (typeof value) {
    case 'number':
      return TYPE.int;
    case 'string':
      return TYPE.string;
    case 'boolean':
      return TYPE.bool;
    case 'bigint':
      return TYPE.long;
  }
  if (value === null) return TYPE.null;
  if (value instanceof Map) return TYPE.object;
  if (Array.isArray(value)) return TYPE.array;
  if (value instanceof Double) return TYPE.double;
  if (value instanceof Date) return TYPE.date;
  if (value instanceof ObjectId) return TYPE.objectId;
  if (value instanceof BinData) return TYPE.binData;
  if (value instanceof Regex) return TYPE.regex;
  if (value instanceof Timestamp) return TYPE.timestamp;
  if (value instanceof Deprecated || value instanceof Singular) return value.type;
  return TYPE.decimal;
}

export const typeName = (value: Value | undefined): string =>
  value === undefined ? 'missing' : (NAMES.get(typeOf(value)) ?? 'unknown');

export const isDocument = (value: Value | undefined): value is Document => value instanceof Map;

/** Tells whether a value is an object whose first field is an operator, such as {$gt: 1}. */
export function isOperators(value: Value | undefined): value is Document {
  if (!(value instanceof Map)) return false;
  for (const key of value.keys()) return key.startsWith('$');
  return false;
}

/** Tells whether a value of a query has operators. A reference to a document, {$ref, $id}, is a plain value. */
export const isCondition = (value: Value | undefined): value is Document =>
  isOperators(value) && !(value.has('$ref') && value.has('$id'));

/** A JavaScript literal that converts to a BSON value. Integers become ints, other numbers doubles. */
export type Literal =
  | Value
  | undefined
  | readonly Literal[]
  | { readonly [field: string]: Literal };

export function toValue(literal: Literal): Value {
  if (typeof literal === 'number') return fromNumber(literal);
  if (Array.isArray(literal)) return literal.map(toValue);
  if (literal === null || literal === undefined) return null;
  if (isPlainObject(literal)) {
    return toDocument(literal as { readonly [field: string]: Literal });
  }
  return literal as Value;
}

function isPlainObject(literal: Literal): boolean {
  if (typeof literal !== 'object') return false;
  const prototype = Object.getPrototypeOf(literal);
  return prototype === Object.prototype || prototype === null;
}

/** Makes a document of the given fields. Undefined fields are left out. */
export function toDocument(literal: { readonly [field: string]: Literal }): Document {
  const document: Document = new Map();
  for (const [name, value] of Object.entries(literal)) {
    if (value !== undefined) document.set(name, toValue(value));
  }
  return document;
}

/** Converts a JavaScript number: a 32-bit integer to an int, any other number to a double, as the shell does. */
export const fromNumber = (n: number): Value =>
  Number.isInteger(n) && n === (n | 0) && !Object.is(n, -0) ? n : new Double(n);

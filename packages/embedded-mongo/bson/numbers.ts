import { Decimal128 } from 'bson';
import { Double, type Value } from './values.ts';

/** A number of any BSON type: int, double, long or Decimal128. */
export type Numeric = number | bigint | Double | Decimal128;

/** The finite number digits × 10^exponent. */
export interface Finite {
  digits: bigint;
  exponent: number;
}

/** A finite number, NaN or an infinity. */
export type Exact = Finite | 'NaN' | 'Infinity' | '-Infinity';

export const isNumeric = (value: Value | undefined): value is Numeric =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  value instanceof Double ||
  value instanceof Decimal128;

export const isDecimal = (value: Value | undefined): value is Decimal128 =>
  value instanceof Decimal128;

/** Returns the nearest double. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  return Number(value.toString());
}

/** Tells whether a number is zero. A decimal that is nearer to zero than every double is not zero. */
export function isZero(value: Numeric): boolean {
  if (toDouble(value) !== 0) return false;
  if (!(value instanceof Decimal128)) return true;
  const exact = exactOf(value);
  return typeof exact !== 'string' && exact.digits === 0n;
}

const LONG_LIMIT = 9_223_372_036_854_775_808n;

/** Returns the number without its fraction; undefined when that is no 64-bit integer. */
export function longOf(value: Numeric): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  const whole = wholeOf(exactOf(value));
  return whole !== undefined && whole < LONG_LIMIT && whole >= -LONG_LIMIT ? whole : undefined;
}

/** Returns the number without its fraction; undefined for NaN and infinities. */
export function wholeOf(exact: Exact): bigint | undefined {
  if (typeof exact === 'string') return undefined;
  const { digits, exponent } = exact;
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  return digits / 10n ** BigInt(-exponent);
}

/** Tells whether a number has no fraction. */
export function isWhole(value: Numeric): boolean {
  const exact = exactOf(value);
  if (typeof exact === 'string') return false;
  return exact.exponent >= 0 || exact.digits % 10n ** BigInt(-exact.exponent) === 0n;
}

export const isNaNValue = (value: Numeric): boolean =>
  typeof value !== 'number' && typeof value !== 'bigint' && Number.isNaN(toDouble(value));

/** Returns the number of an option such as `limit`; undefined for a value that is no number. */
export const numberOf = (value: Value | undefined): number | undefined =>
  isNumeric(value) ? toDouble(value) : undefined;

/** Returns a number of any type as a safe integer; undefined for every other value. */
export function integerOf(value: Value | undefined): number | undefined {
  const n = numberOf(value);
  return n !== undefined && Number.isSafeInteger(n) ? n + 0 : undefined;
}

/** Returns a number of any type that is a 32-bit integer; undefined for every other value. */
export function int32Of(value: Value | undefined): number | undefined {
  const n = integerOf(value);
  return n !== undefined && n === (n | 0) ? n : undefined;
}

export function exactOf(value: Numeric): Exact {
  if (typeof value === 'bigint' || typeof value === 'number') {
    return { digits: BigInt(value), exponent: 0 };
  }
  if (value instanceof Double) return exactDouble(value.value);
  const text = value.toString();
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text;
  const [mantissa = '0', power = '0'] = text.split('E');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function exactDouble(n: number): Exact {
  if (!Number.isFinite(n)) return String(n) as Exact;
  if (Number.isInteger(n)) return { digits: BigInt(n), exponent: 0 };
  const { mantissa, power } = parts(Math.abs(n)); // power < 0 here
  const digits = mantissa * 5n ** BigInt(-power);
  return { digits: n < 0 ? -digits : digits, exponent: power };
}

const view = new DataView(new ArrayBuffer(8));

/** Returns a finite double ≥ 0 as mantissa × 2^power. */
export function parts(n: number): { mantissa: bigint; power: number } {
  view.setFloat64(0, n);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  if (exponent === 0) return { mantissa: fraction, power: -1074 };
  return { mantissa: fraction | 0x10000000000000n, power: exponent - 1075 };
}

/** Compares numbers of all four types exactly. NaN is less than every other number and equal to itself. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Decimal128 || b instanceof Decimal128) return compareExact(a, b);
  const x = a instanceof Double ? a.value : a;
  const y = b instanceof Double ? b.value : b;
  // JavaScript compares a bigint with a number by their mathematical values.
  if (x < y) return -1;
  if (x > y) return 1;
  if (x === y || Number(x) === Number(y)) return 0;
  return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) : 1;
}

function compareExact(a: Numeric, b: Numeric): number {
  const x = toDouble(a);
  const y = toDouble(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(y)) - Number(Number.isNaN(x));
  if (x !== y) return x < y ? -1 : 1;
  const p = exactOf(a);
  const q = exactOf(b);
  if (typeof p === 'string' || typeof q === 'string') return special(p) - special(q);
  const exponent = Math.min(p.exponent, q.exponent);
  const m = p.digits * 10n ** BigInt(p.exponent - exponent);
  const n = q.digits * 10n ** BigInt(q.exponent - exponent);
  return m < n ? -1 : m > n ? 1 : 0;
}

/** Orders infinities. A finite decimal beyond the doubles, which converts to an infinite double, is not an infinity. */
const special = (exact: Exact): number =>
  exact === 'Infinity' ? 1 : exact === '-Infinity' ? -1 : 0;

import { Decimal128 } from 'bson';
import { Double, type Value } from './values.ts';

/** int, double, long and Decimal128. */
export type Numeric = number | bigint | Double | Decimal128;

/** digits × 10^exponent, or what a decimal has beside its finite numbers. */
export type Exact = { digits: bigint; exponent: number } | 'NaN' | 'Infinity' | '-Infinity';

export const isNumeric = (value: Value | undefined): value is Numeric =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  value instanceof Double ||
  value instanceof Decimal128;

export const isDecimal = (value: Value | undefined): value is Decimal128 =>
  value instanceof Decimal128;

/** The nearest double. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  return Number(value.toString());
}

export const isNaNValue = (value: Numeric): boolean =>
  typeof value !== 'number' && typeof value !== 'bigint' && Number.isNaN(toDouble(value));

/** The number of an option such as `limit`, or undefined for anything but a number. */
export const numberOf = (value: Value | undefined): number | undefined =>
  isNumeric(value) ? toDouble(value) : undefined;

/** The integer that a number of any type stands for, or undefined where it stands for none. */
export function integerOf(value: Value | undefined): number | undefined {
  const n = numberOf(value);
  return n !== undefined && Number.isSafeInteger(n) ? n + 0 : undefined;
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

/** A finite double ≥ 0 as mantissa × 2^power, with the power of its last place. */
export function parts(n: number): { mantissa: bigint; power: number } {
  view.setFloat64(0, n);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  if (exponent === 0) return { mantissa: fraction, power: -1074 };
  return { mantissa: fraction | 0x10000000000000n, power: exponent - 1075 };
}

/** Exact, over all four types; NaN is less than every other number and equal to itself. */
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
  const [m, n] = align(p, q);
  return m < n ? -1 : m > n ? 1 : 0;
}

/** A decimal beyond the doubles rounds to infinity without being it. */
const special = (exact: Exact): number =>
  exact === 'Infinity' ? 1 : exact === '-Infinity' ? -1 : 0;

type Finite = Exclude<Exact, string>;

function align(a: Finite, b: Finite): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const raise = (x: Finite): bigint => x.digits * 10n ** BigInt(x.exponent - exponent);
  return [raise(a), raise(b), exponent];
}

const INT_MAX = 2_147_483_647n;
const LONG_MAX = 9_223_372_036_854_775_807n;

export const fitsLong = (n: bigint): boolean => n <= LONG_MAX && n >= -LONG_MAX - 1n;
const fitsInt = (n: bigint): boolean => n <= INT_MAX && n >= -INT_MAX - 1n;

export type Operation = 'add' | 'multiply' | 'subtract';

/**
 * The sum or product in the wider of the two types: decimal, double, long, int. An int that
 * overflows becomes a long; undefined is a long that overflows.
 */
export function arithmetic(operation: Operation, a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalResult(operation, a, b);
  if (a instanceof Double || b instanceof Double) {
    return new Double(compute(operation, toDouble(a), toDouble(b)));
  }
  if (typeof a === 'number' && typeof b === 'number') {
    const result = compute(operation, a, b);
    if (result === (result | 0)) return result + 0;
  }
  const result = computeBig(operation, BigInt(a), BigInt(b));
  if (typeof a === 'number' && typeof b === 'number' && fitsInt(result)) return Number(result);
  return fitsLong(result) ? result : undefined;
}

const compute = (operation: Operation, a: number, b: number): number =>
  operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;

const computeBig = (operation: Operation, a: bigint, b: bigint): bigint =>
  operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;

function decimalResult(operation: Operation, a: Numeric, b: Numeric): Decimal128 {
  const p = exactOf(toDecimal(a));
  const q = exactOf(toDecimal(b));
  if (typeof p === 'string' || typeof q === 'string') {
    return Decimal128.fromString(String(compute(operation, toDouble(a), toDouble(b))));
  }
  if (operation === 'multiply') return decimalOf(p.digits * q.digits, p.exponent + q.exponent);
  const [m, n, exponent] = align(p, q);
  return decimalOf(computeBig(operation, m, n), exponent);
}

/** A double gives the 15 digits it is good for, as in MongoDB. */
export function toDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (!(value instanceof Double)) return Decimal128.fromString(value.toString());
  const n = value.value;
  return Decimal128.fromString(Number.isFinite(n) ? String(Number(n.toPrecision(15))) : String(n));
}

const PRECISION = 34;

/** digits × 10^exponent, rounded half to even to the 34 digits a decimal has. */
export function decimalOf(digits: bigint, exponent: number): Decimal128 {
  const magnitude = digits < 0n ? -digits : digits;
  const surplus = magnitude.toString().length - PRECISION;
  if (surplus <= 0) return Decimal128.fromString(`${digits}E${exponent}`);
  const unit = 10n ** BigInt(surplus);
  const rest = magnitude % unit;
  let kept = magnitude / unit;
  if (rest * 2n > unit || (rest * 2n === unit && kept % 2n === 1n)) kept += 1n;
  return Decimal128.fromString(`${digits < 0n ? '-' : ''}${kept}E${exponent + surplus}`);
}

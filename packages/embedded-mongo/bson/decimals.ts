import { Decimal128 } from 'bson';
import { type Exact, exactOf, type Finite, type Numeric } from './numbers.ts';
import { Double } from './values.ts';

/** The number of digits of a decimal128 of IEEE 754. A number with more digits is rounded. */
const PRECISION = 34;
/** The least exponent of the last digit. A smaller number loses digits and becomes zero in the end. */
const LEAST = -6176;
/** The greatest exponent of the last digit. A larger number becomes infinite. */
const GREATEST = 6111;

const NAN = Decimal128.fromString('NaN');
const infinity = (negative: boolean): Decimal128 =>
  Decimal128.fromString(negative ? '-Infinity' : 'Infinity');

const lengthOf = (magnitude: bigint): number => magnitude.toString().length;

/** Drops the last decimal places and rounds half to even. */
function withoutPlaces(magnitude: bigint, places: number): bigint {
  if (places <= 0) return magnitude;
  if (places > lengthOf(magnitude)) return 0n;
  const unit = 10n ** BigInt(places);
  const rest = magnitude % unit;
  const kept = magnitude / unit;
  const up = rest * 2n > unit || (rest * 2n === unit && kept % 2n === 1n);
  return up ? kept + 1n : kept;
}

/** Rounds digits × 10^exponent half to even to `precision` digits. */
export function roundedTo(precision: number, { digits, exponent }: Finite): Finite {
  const magnitude = digits < 0n ? -digits : digits;
  const surplus = Math.max(0, lengthOf(magnitude) - precision);
  const kept = withoutPlaces(magnitude, surplus);
  // Rounding 99.9… gives 100…, which has one digit too many.
  const over = lengthOf(kept) > precision;
  const rounded = { digits: over ? kept / 10n : kept, exponent: exponent + surplus + Number(over) };
  return digits < 0n ? { ...rounded, digits: -rounded.digits } : rounded;
}

/**
 * Makes the decimal digits × 10^exponent, rounded half to even. A number too large becomes infinite; a number too small
 * loses digits and becomes zero in the end. `negative` is the sign of a zero.
 */
export function decimalOf(digits: bigint, exponent: number, negative = digits < 0n): Decimal128 {
  const magnitude = digits < 0n ? -digits : digits;
  const surplus = Math.max(lengthOf(magnitude) - PRECISION, LEAST - exponent, 0);
  let kept = withoutPlaces(magnitude, surplus);
  let last = exponent + surplus;
  if (lengthOf(kept) > PRECISION) {
    kept /= 10n;
    last++;
  }
  if (last > GREATEST) {
    const padding = last - GREATEST;
    if (kept !== 0n) {
      if (lengthOf(kept) + padding > PRECISION) return infinity(negative);
      kept *= 10n ** BigInt(padding);
    }
    last = GREATEST;
  }
  return Decimal128.fromString(`${negative ? '-' : ''}${kept}E${last}`);
}

/** Converts a number to a decimal. A double is converted with 15 digits, trailing zeros included, as in MongoDB. */
export function toDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (!(value instanceof Double)) return decimalOf(BigInt(value), 0);
  const exact = exactOf(value);
  if (typeof exact === 'string') return Decimal128.fromString(exact);
  if (exact.digits === 0n) return decimalOf(0n, 0, Object.is(value.value, -0));
  const padding = 15 - lengthOf(exact.digits < 0n ? -exact.digits : exact.digits);
  const { digits, exponent } = roundedTo(15, exact);
  return padding > 0
    ? decimalOf(digits * 10n ** BigInt(padding), exponent - padding)
    : decimalOf(digits, exponent);
}

/** Converts a double with all 34 digits of a decimal, for sums of doubles and decimals. */
export function wholeDecimal(n: number): Decimal128 {
  const exact = exactOf(new Double(n));
  if (typeof exact === 'string') return Decimal128.fromString(exact);
  let { digits, exponent } = exact;
  for (; exponent < 0 && digits % 10n === 0n && digits !== 0n; exponent++) digits /= 10n;
  return decimalOf(digits, exponent, n < 0 || Object.is(n, -0));
}

export const isNegative = (value: Decimal128): boolean => value.toString().startsWith('-');

/** Returns the digits of both numbers with the lesser of their exponents, and that exponent. */
function align(a: Finite, b: Finite): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const raise = (x: Finite): bigint => x.digits * 10n ** BigInt(x.exponent - exponent);
  return [raise(a), raise(b), exponent];
}

export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [p, q] = [exactOf(a), exactOf(b)];
  if (typeof p === 'string' || typeof q === 'string') return addSpecial(p, q);
  const [m, n, exponent] = align(p, q);
  const sum = m + n;
  return decimalOf(sum, exponent, sum === 0n ? isNegative(a) && isNegative(b) : sum < 0n);
}

function addSpecial(p: Exact, q: Exact): Decimal128 {
  if (p === 'NaN' || q === 'NaN') return NAN;
  if (typeof p === 'string' && typeof q === 'string' && p !== q) return NAN;
  return infinity(p === '-Infinity' || q === '-Infinity');
}

export function negated(value: Decimal128): Decimal128 {
  const text = value.toString();
  if (text === 'NaN') return value;
  return Decimal128.fromString(text.startsWith('-') ? text.slice(1) : `-${text}`);
}

const isZero = (exact: Exact): boolean => typeof exact !== 'string' && exact.digits === 0n;

export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [p, q] = [exactOf(a), exactOf(b)];
  const negative = isNegative(a) !== isNegative(b);
  if (typeof p === 'string' || typeof q === 'string') {
    return p === 'NaN' || q === 'NaN' || isZero(p) || isZero(q) ? NAN : infinity(negative);
  }
  return decimalOf(p.digits * q.digits, p.exponent + q.exponent, negative);
}

/** Divides decimals; the divisor must not be zero. An exact quotient gets the exponent that the operands suggest. */
export function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [p, q] = [exactOf(a), exactOf(b)];
  const negative = isNegative(a) !== isNegative(b);
  if (typeof p === 'string' || typeof q === 'string') {
    if (p === 'NaN' || q === 'NaN' || (typeof p === 'string' && typeof q === 'string')) return NAN;
    return typeof p === 'string' ? infinity(negative) : decimalOf(0n, LEAST, negative);
  }
  const suggested = p.exponent - q.exponent;
  if (p.digits === 0n) return decimalOf(0n, suggested, negative);
  const places = PRECISION + 6 + lengthOf(q.digits < 0n ? -q.digits : q.digits);
  const dividend = p.digits * 10n ** BigInt(places);
  let digits = dividend / q.digits;
  let exponent = suggested - places;
  if (dividend % q.digits !== 0n) {
    // Digits follow the last digit: the added digit keeps an apparent half from being rounded to even.
    return decimalOf(digits * 10n + (negative ? -1n : 1n), exponent - 1, negative);
  }
  while (digits % 10n === 0n && exponent < suggested) {
    digits /= 10n;
    exponent++;
  }
  return decimalOf(digits, exponent, negative);
}

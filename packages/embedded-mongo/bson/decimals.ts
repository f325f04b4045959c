import { Decimal128 } from 'bson';
import { type Exact, exactOf, type Finite, type Numeric } from './numbers.ts';
import { Double } from './values.ts';

/** What IEEE 754's decimal128 can hold: 34 digits, and exponents of the last of them. */
const PRECISION = 34;
const LEAST = -6176;
const GREATEST = 6111;

const NAN = Decimal128.fromString('NaN');
const infinity = (negative: boolean): Decimal128 =>
  Decimal128.fromString(negative ? '-Infinity' : 'Infinity');

const lengthOf = (magnitude: bigint): number => magnitude.toString().length;

/** Leaves out the last places, rounding half to even. */
function withoutPlaces(magnitude: bigint, places: number): bigint {
  if (places <= 0) return magnitude;
  if (places > lengthOf(magnitude)) return 0n;
  const unit = 10n ** BigInt(places);
  const rest = magnitude % unit;
  const kept = magnitude / unit;
  const up = rest * 2n > unit || (rest * 2n === unit && kept % 2n === 1n);
  return up ? kept + 1n : kept;
}

/** digits × 10^exponent rounded half to even to so many digits. */
export function roundedTo(precision: number, { digits, exponent }: Finite): Finite {
  const magnitude = digits < 0n ? -digits : digits;
  const surplus = Math.max(0, lengthOf(magnitude) - precision);
  const kept = withoutPlaces(magnitude, surplus);
  // 99.9… becomes 100…, one digit more than there may be.
  const over = lengthOf(kept) > precision;
  const rounded = { digits: over ? kept / 10n : kept, exponent: exponent + surplus + Number(over) };
  return digits < 0n ? { ...rounded, digits: -rounded.digits } : rounded;
}

/**
 * digits × 10^exponent as a decimal, rounded half to even; infinite where it is too large, and with
 * fewer digits, zero in the end, where it is too small. `negative` tells the sign of a zero.
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

/** A double gives the 15 digits it is good for, trailing zeros among them, as in MongoDB. */
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

/** A double with all the 34 digits that a decimal has: so sums of both are made. */
export function wholeDecimal(n: number): Decimal128 {
  const exact = exactOf(new Double(n));
  if (typeof exact === 'string') return Decimal128.fromString(exact);
  let { digits, exponent } = exact;
  for (; exponent < 0 && digits % 10n === 0n && digits !== 0n; exponent++) digits /= 10n;
  return decimalOf(digits, exponent, n < 0 || Object.is(n, -0));
}

export const isNegative = (value: Decimal128): boolean => value.toString().startsWith('-');

/** Both with the same exponent, the lesser of the two. */
export function align(a: Finite, b: Finite): [bigint, bigint, number] {
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

/** The divisor is not zero. An exact quotient is as short as the operands' exponents suggest. */
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
    // Something follows: what looks like a half is more than one.
    return decimalOf(digits * 10n + (negative ? -1n : 1n), exponent - 1, negative);
  }
  while (digits % 10n === 0n && exponent < suggested) {
    digits /= 10n;
    exponent++;
  }
  return decimalOf(digits, exponent, negative);
}

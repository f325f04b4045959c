import { Decimal128 } from 'bson';
import { double, invert, position, put } from './key-buffer.ts';
import { type Exact, exactOf, type Numeric, parts, toDouble } from './numbers.ts';
import { Double } from './values.ts';

/**
 * Writes the key of a number: 0 for NaN, 1 for negative, 2 for zero, 3 for positive numbers; then the greatest double
 * not above the magnitude, and the remainder in decimal digits of the unit of that double's last place. The key of a
 * negative number is inverted. For a double and nearly every integer the remainder is one byte.
 */
export function numberKey(value: Numeric): void {
  const n = toDouble(value);
  if (Number.isNaN(n)) {
    put(0);
    return;
  }
  const sign = n !== 0 ? Math.sign(n) : signOf(value);
  put(2 + sign);
  if (sign === 0) return;
  const start = position();
  if (typeof value === 'number' || value instanceof Double) {
    double(Math.abs(n));
    put(0);
  } else inexact(Math.abs(n), exactOf(value));
  if (sign < 0) invert(start);
}

/** Returns the sign of a number whose nearest double is 0. A decimal may be smaller than every double. */
function signOf(value: Numeric): number {
  if (!(value instanceof Decimal128)) return 0;
  const exact = exactOf(value);
  return typeof exact === 'string' ? 0 : exact.digits > 0n ? 1 : exact.digits < 0n ? -1 : 0;
}

function inexact(nearest: number, exact: Exact): void {
  if (typeof exact === 'string') {
    double(nearest);
    put(0);
    return;
  }
  const digits = exact.digits < 0n ? -exact.digits : exact.digits;
  if (nearest === Number.POSITIVE_INFINITY) {
    writeHugeDecimal(digits, exact.exponent);
    return;
  }
  let floor = nearest;
  let rest = remainder(digits, exact.exponent, floor);
  if (rest.numerator < 0n) {
    floor = nextDoubleDown(floor);
    rest = remainder(digits, exact.exponent, floor);
  }
  double(floor);
  if (rest.numerator !== 0n) figures(rest.numerator.toString().padStart(rest.places, '0'));
  put(0);
}

function figures(digits: string): void {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1; // an expression such as /0+$/ takes quadratic time
  for (let at = 0; at < end; at++) put(Number(digits[at]) + 1);
}

/** Writes a decimal greater than the greatest double: its power of ten, then its digits. */
function writeHugeDecimal(digits: bigint, exponent: number): void {
  double(Number.MAX_VALUE);
  const shown = digits.toString();
  const power = shown.length + exponent;
  put(255);
  put(power >> 8);
  put(power & 255);
  figures(shown);
  put(0);
}

/** Computes (digits × 10^exponent − floor) / (the unit of floor's last place), as numerator / 10^places. */
function remainder(
  digits: bigint,
  exponent: number,
  floor: number,
): { numerator: bigint; places: number } {
  const { mantissa, power } = parts(floor);
  const tens = 10n ** BigInt(Math.max(0, -exponent));
  const whole = digits * 10n ** BigInt(Math.max(0, exponent));
  const scale = 2n ** BigInt(Math.abs(power));
  if (power <= 0)
    return { numerator: whole * scale - mantissa * tens, places: Math.max(0, -exponent) };
  const difference = whole - mantissa * scale * tens;
  return { numerator: difference * 5n ** BigInt(power), places: power + Math.max(0, -exponent) };
}

const view = new DataView(new ArrayBuffer(8));

/** Returns the next double towards zero. */
function nextDoubleDown(n: number): number {
  view.setFloat64(0, n);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

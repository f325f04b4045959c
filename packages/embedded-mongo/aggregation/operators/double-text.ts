import { roundedTo } from '../../bson/decimals.ts';
import { exactOf } from '../../bson/numbers.ts';
import { Double } from '../../bson/values.ts';

/** Formats a double as C's "%.16g", like MongoDB: at most 16 digits, without trailing zeros. */
export function doubleText(n: number): string {
  const exact = exactOf(new Double(Math.abs(n)));
  if (typeof exact === 'string' || n === 0) return Object.is(n, -0) ? '-0' : String(n);
  const rounded = roundedTo(16, exact);
  const digits = rounded.digits.toString();
  const power = digits.length - 1 + rounded.exponent;
  return (n < 0 ? '-' : '') + written(digits.replace(/0+$/, ''), power);
}

/** Formats d.ddd × 10^power: with an exponent if the power is below -4 or at least 16, else without. */
function written(digits: string, power: number): string {
  if (power < -4 || power >= 16) {
    const exponent = String(Math.abs(power)).padStart(2, '0');
    return `${pointed(digits, 1)}e${power < 0 ? '-' : '+'}${exponent}`;
  }
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`;
  return pointed(digits.padEnd(power + 1, '0'), power + 1);
}

const pointed = (digits: string, at: number): string =>
  digits.length > at ? `${digits.slice(0, at)}.${digits.slice(at)}` : digits;

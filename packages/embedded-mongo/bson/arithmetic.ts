import { Decimal128 } from 'bson';
import { addDecimals, multiplyDecimals, negated, toDecimal } from './decimals.ts';
import { type Numeric, toDouble } from './numbers.ts';
import { Double } from './values.ts';

const INT_MAX = 2_147_483_647n;
const LONG_MAX = 9_223_372_036_854_775_807n;

export const fitsLong = (n: bigint): boolean => n <= LONG_MAX && n >= -LONG_MAX - 1n;
const fitsInt = (n: bigint): boolean => n <= INT_MAX && n >= -INT_MAX - 1n;

/** Returns an int if the number fits, else a long. */
export const intOrLong = (n: bigint): number | bigint => (fitsInt(n) ? Number(n) : n);

export type Operation = 'add' | 'multiply' | 'subtract';

/**
 * Computes in the wider of the two types: decimal, double, long, int. An int that overflows becomes a long; for a long
 * that overflows the result is undefined.
 */
export function arithmetic(operation: Operation, a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    return decimalResult(operation, toDecimal(a), toDecimal(b));
  }
  if (a instanceof Double || b instanceof Double) {
    return new Double(compute(operation, toDouble(a), toDouble(b)));
  }
  if (typeof a === 'number' && typeof b === 'number') {
    const result = compute(operation, a, b);
    if (result === (result | 0)) return result + 0;
  }
  const result = computeBig(operation, BigInt(a), BigInt(b));
  if (typeof a === 'number' && typeof b === 'number') return intOrLong(result);
  return fitsLong(result) ? result : undefined;
}

const compute = (operation: Operation, a: number, b: number): number =>
  operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;

const computeBig = (operation: Operation, a: bigint, b: bigint): bigint =>
  operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;

function decimalResult(operation: Operation, a: Decimal128, b: Decimal128): Decimal128 {
  if (operation === 'multiply') return multiplyDecimals(a, b);
  return addDecimals(a, operation === 'add' ? b : negated(b));
}

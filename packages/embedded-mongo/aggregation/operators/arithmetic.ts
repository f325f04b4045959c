import { Decimal128 } from 'bson';
import { arithmetic, fitsLong, intOrLong, type Operation } from '../../bson/arithmetic.ts';
import { divideDecimals, isNegative, negated, toDecimal } from '../../bson/decimals.ts';
import { isNumeric, isZero, type Numeric, toDouble } from '../../bson/numbers.ts';
import { Double, isDocument, typeName, type Value } from '../../bson/values.ts';
import { type CodeName, fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import { type Argument, dateAt, fixed, type Operator, unary, variadic } from './arguments.ts';

/** Does the same as `arithmetic`, but a long that overflows becomes a double. */
function combine(operation: Operation, a: Numeric, b: Numeric): Numeric {
  const exact = arithmetic(operation, a, b);
  if (exact !== undefined) return exact;
  const [x, y] = [toDouble(a), toDouble(b)];
  return new Double(operation === 'add' ? x + y : operation === 'subtract' ? x - y : x * y);
}

export function numeric(
  name: string,
  value: Argument,
  code: CodeName | number = 'TypeMismatch',
): Numeric {
  if (isNumeric(value)) return value;
  return fail(code, `${name} only supports numeric types, not ${typeName(value)}`);
}

/**
 * Adds numbers, and numbers to at most one date. The sum has the widest type of all arguments. A long that overflows
 * becomes a double and stays a double.
 */
function add(args: Argument[]): Value | undefined {
  let sum: Numeric = 0;
  let long = false;
  let date: Date | undefined;
  for (const value of args) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date) fail(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (!isNumeric(value)) {
      fail('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`);
    } else {
      long ||= typeof value === 'bigint';
      sum = combine('add', sum, value);
    }
  }
  if (date) return dateAt(date.getTime() + Math.round(toDouble(sum)));
  return typeof sum === 'bigint' && !long ? intOrLong(sum) : sum;
}

function subtract([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return BigInt(a.getTime() - b.getTime());
  if (a instanceof Date && isNumeric(b)) return dateAt(a.getTime() - Math.round(toDouble(b)));
  if (isNumeric(a) && isNumeric(b)) return combine('subtract', a, b);
  return fail('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

/** Multiplies numbers. The product has the widest type of all arguments; a product too large for a long is a double. */
function multiply(args: Argument[]): Value | undefined {
  let product: Numeric = 1;
  let nearest = 1;
  let long = false;
  for (const value of args) {
    if (isNullish(value)) return null;
    const factor = numeric('$multiply', value);
    nearest *= toDouble(factor);
    long ||= typeof factor === 'bigint';
    product = arithmetic('multiply', product, factor) ?? new Double(nearest);
  }
  return typeof product === 'bigint' && !long ? intOrLong(product) : product;
}

function divide([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [dividend, divisor] = [numeric('$divide', a), numeric('$divide', b)];
  if (isZero(divisor)) fail('BadValue', "can't $divide by zero");
  if (dividend instanceof Decimal128 || divisor instanceof Decimal128)
    return divideDecimals(toDecimal(dividend), toDecimal(divisor));
  return new Double(toDouble(dividend) / toDouble(divisor));
}

function modulo([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [x, y] = [numeric('$mod', a, 16611), numeric('$mod', b, 16611)];
  if (x instanceof Decimal128 || y instanceof Decimal128) unsupported('$mod of decimals');
  if (toDouble(y) === 0) fail(16610, "can't $mod by zero");
  if (x instanceof Double || y instanceof Double) return new Double(toDouble(x) % toDouble(y));
  if (typeof x === 'number' && typeof y === 'number') return (x % y) + 0;
  return BigInt(x.toString()) % BigInt(y.toString());
}

/** Makes an operator from a function of doubles. Null stays null, and integers stay unchanged if `integersStay` is set. */
function onDoubles(
  name: string,
  apply: (n: number) => number,
  integersStay = false,
): [string, Operator] {
  return unary(name, (value) => {
    if (isNullish(value)) return null;
    const n = numeric(name, value, 28765);
    if (integersStay && (typeof n === 'number' || typeof n === 'bigint')) return n;
    if (n instanceof Decimal128) unsupported(`${name} of a decimal`);
    return new Double(apply(toDouble(n)));
  });
}

const positive =
  (name: string, code: number, apply: (n: number) => number) =>
  (n: number): number =>
    n > 0 || Number.isNaN(n)
      ? apply(n)
      : fail(code, `${name}'s argument must be a positive number, but is ${n}`);

function absolute(value: Argument): Value | undefined {
  if (isNullish(value)) return null;
  const n = numeric('$abs', value, 28765);
  if (n instanceof Double) return new Double(Math.abs(n.value));
  if (n instanceof Decimal128) return isNegative(n) ? negated(n) : n;
  if (n >= 0) return n;
  return arithmetic('subtract', 0, n) ?? fail(28680, "can't take $abs of long long min");
}

/** Computes a power: of integers an integer if it fits a long, in all other cases a double. */
function power([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [base, exponent] = [numeric('$pow', a, 28762), numeric('$pow', b, 28763)];
  if (base instanceof Decimal128 || exponent instanceof Decimal128) unsupported('$pow of decimals');
  const [x, y] = [toDouble(base), toDouble(exponent)];
  if (x === 0 && y < 0) fail(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (base instanceof Double || exponent instanceof Double) return new Double(x ** y);
  const result = wholePower(BigInt(base.toString()), BigInt(exponent.toString()));
  if (result === undefined || !fitsLong(result)) return new Double(x ** y);
  const long = typeof base === 'bigint' || typeof exponent === 'bigint';
  return long ? result : intOrLong(result);
}

/** Computes the power of integers. Returns undefined for exponents whose power fits no long. */
function wholePower(base: bigint, exponent: bigint): bigint | undefined {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  return exponent < 0n || exponent > 63n ? undefined : base ** exponent;
}

const rand: Operator['build'] = (argument) => {
  const given = Array.isArray(argument) ? argument.length : isDocument(argument) && argument.size;
  if (given === false) fail(10065, 'invalid parameter: expected an object ($rand)');
  if (given !== 0) fail(3040501, '$rand does not currently accept arguments');
  return () => new Double(Math.random());
};

export const ARITHMETIC: [string, Operator][] = [
  variadic('$add', add),
  fixed('$subtract', 2, subtract),
  variadic('$multiply', multiply),
  fixed('$divide', 2, divide),
  fixed('$mod', 2, modulo),
  fixed('$pow', 2, power),
  unary('$abs', absolute),
  onDoubles('$ceil', Math.ceil, true),
  onDoubles('$floor', Math.floor, true),
  onDoubles('$exp', Math.exp),
  onDoubles('$sqrt', (n) =>
    n < 0 ? fail(28714, "$sqrt's argument must be greater than or equal to 0") : Math.sqrt(n),
  ),
  onDoubles('$ln', positive('$ln', 28766, Math.log)),
  onDoubles('$log10', positive('$log10', 28761, Math.log10)),
  ['$rand', { build: rand }],
];

import { Decimal128 } from 'bson';
import {
  arithmetic,
  decimalOf,
  exactOf,
  integerOf,
  isNumeric,
  type Numeric,
  type Operation,
  toDecimal,
  toDouble,
} from '../../bson/numbers.ts';
import { Double, fromNumber, typeName, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import { type Argument, dateAt, type Operator, positional, unary } from './arguments.ts';

/** As `arithmetic`, where a long that overflows becomes a double. */
function combine(operation: Operation, a: Numeric, b: Numeric): Numeric {
  const exact = arithmetic(operation, a, b);
  if (exact !== undefined) return exact;
  const [x, y] = [toDouble(a), toDouble(b)];
  return new Double(operation === 'add' ? x + y : operation === 'subtract' ? x - y : x * y);
}

function numeric(name: string, value: Argument): Numeric {
  if (isNumeric(value)) return value;
  return fail('TypeMismatch', `${name} only supports numeric types, not ${typeName(value)}`);
}

/** Adds up numbers, and any number of them to at most one date. */
function add(args: Argument[]): Value | undefined {
  let sum: Numeric = 0;
  let date: Date | undefined;
  for (const value of args) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date) fail(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (!isNumeric(value)) {
      fail('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`);
    } else sum = combine('add', sum, value);
  }
  return date ? dateAt(date.getTime() + Math.round(toDouble(sum))) : sum;
}

function subtract([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return BigInt(a.getTime() - b.getTime());
  if (a instanceof Date && isNumeric(b)) return dateAt(a.getTime() - Math.round(toDouble(b)));
  if (isNumeric(a) && isNumeric(b)) return combine('subtract', a, b);
  return fail('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiply(args: Argument[]): Value | undefined {
  let product: Numeric = 1;
  for (const value of args) {
    if (isNullish(value)) return null;
    product = combine('multiply', product, numeric('$multiply', value));
  }
  return product;
}

function divide([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [dividend, divisor] = [numeric('$divide', a), numeric('$divide', b)];
  if (toDouble(divisor) === 0) fail('BadValue', "can't $divide by zero");
  if (dividend instanceof Decimal128 || divisor instanceof Decimal128)
    return divideDecimals(dividend, divisor);
  return new Double(toDouble(dividend) / toDouble(divisor));
}

function divideDecimals(a: Numeric, b: Numeric): Value {
  const [p, q] = [exactOf(toDecimal(a)), exactOf(toDecimal(b))];
  if (typeof p === 'string' || typeof q === 'string') {
    return Decimal128.fromString(String(toDouble(a) / toDouble(b)));
  }
  const places = 40;
  let digits = (p.digits * 10n ** BigInt(places + q.digits.toString().length)) / q.digits;
  let exponent = p.exponent - q.exponent - places - q.digits.toString().length;
  // The quotient is as short as it can be, down to the exponent that the operands suggest.
  while (digits !== 0n && digits % 10n === 0n && exponent < p.exponent - q.exponent) {
    digits /= 10n;
    exponent++;
  }
  return decimalOf(digits, digits === 0n ? p.exponent - q.exponent : exponent);
}

function modulo([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [x, y] = [numeric('$mod', a), numeric('$mod', b)];
  if (x instanceof Decimal128 || y instanceof Decimal128) unsupported('$mod of decimals');
  if (toDouble(y) === 0) fail(16610, "can't $mod by zero");
  if (x instanceof Double || y instanceof Double) return new Double(toDouble(x) % toDouble(y));
  if (typeof x === 'number' && typeof y === 'number') return (x % y) + 0;
  return BigInt(x.toString()) % BigInt(y.toString());
}

/** A function of doubles that keeps null, and keeps integers where it says so. */
function onDoubles(
  name: string,
  apply: (n: number) => number,
  integersStay = false,
): [string, Operator] {
  return unary(name, (value) => {
    if (isNullish(value)) return null;
    const n = numeric(name, value);
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
  const n = numeric('$abs', value);
  if (n instanceof Double) return new Double(Math.abs(n.value));
  if (toDouble(n) >= 0) return n;
  return combine('subtract', 0, n);
}

function power([a, b]: Argument[]): Value | undefined {
  if (isNullish(a) || isNullish(b)) return null;
  const [base, exponent] = [numeric('$pow', a), numeric('$pow', b)];
  if (base instanceof Decimal128 || exponent instanceof Decimal128) unsupported('$pow of decimals');
  const result = toDouble(base) ** toDouble(exponent);
  const whole =
    !(base instanceof Double) && !(exponent instanceof Double) && toDouble(exponent) >= 0;
  if (!whole || !Number.isSafeInteger(result)) return new Double(result);
  const long = typeof base === 'bigint' || typeof exponent === 'bigint' || result !== (result | 0);
  return long ? BigInt(result) : result;
}

/** $round (half to even) and $trunc to a decimal place of -20 to 100. */
function toPlace(name: string, how: (n: number) => number): [string, Operator] {
  return positional(name, 1, 2, ([value, place]) => {
    if (isNullish(value) || place === null) return null;
    const n = numeric(name, value);
    const digits = place === undefined ? 0 : integerOf(place);
    if (digits === undefined)
      return fail(51082, 'precision argument to  $round must be a integral value');
    if (digits < -20 || digits > 100)
      fail(51083, `cannot apply ${name} with precision value ${digits}`);
    if (n instanceof Decimal128) unsupported(`${name} of a decimal`);
    if (!(n instanceof Double) && digits >= 0) return n;
    if (!Number.isFinite(toDouble(n))) return n;
    // Shifting the decimal point in the text avoids the error of a multiplication.
    const shift = (x: number, by: number): number => {
      const [mantissa, exponent = '0'] = x.toString().split('e');
      return Number(`${mantissa}e${Number(exponent) + by}`);
    };
    const rounded = shift(how(shift(toDouble(n), digits)), -digits);
    if (n instanceof Double) return new Double(rounded);
    return typeof n === 'bigint' ? BigInt(rounded) : fromNumber(rounded);
  });
}

function halfToEven(n: number): number {
  const floor = Math.floor(n);
  if (n - floor !== 0.5) return Math.round(n);
  return floor % 2 === 0 ? floor : floor + 1;
}

export const ARITHMETIC: [string, Operator][] = [
  positional('$add', 0, Number.POSITIVE_INFINITY, add),
  positional('$subtract', 2, 2, subtract),
  positional('$multiply', 0, Number.POSITIVE_INFINITY, multiply),
  positional('$divide', 2, 2, divide),
  positional('$mod', 2, 2, modulo),
  positional('$pow', 2, 2, power),
  unary('$abs', absolute),
  onDoubles('$ceil', Math.ceil, true),
  onDoubles('$floor', Math.floor, true),
  onDoubles('$exp', Math.exp),
  onDoubles('$sqrt', (n) =>
    n < 0 ? fail(28714, "$sqrt's argument must be greater than or equal to 0") : Math.sqrt(n),
  ),
  onDoubles('$ln', positive('$ln', 28766, Math.log)),
  onDoubles('$log10', positive('$log10', 28761, Math.log10)),
  toPlace('$round', halfToEven),
  toPlace('$trunc', Math.trunc),
  positional('$rand', 0, 1, () => new Double(Math.random())),
];

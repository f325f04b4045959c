import { Decimal128 } from 'bson';
import { fitsLong, intOrLong } from '../../bson/arithmetic.ts';
import { roundedTo } from '../../bson/decimals.ts';
import { exactOf, type Finite, integerOf, type Numeric } from '../../bson/numbers.ts';
import { Double, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import { type Operator, ranged } from './arguments.ts';
import { numeric } from './arithmetic.ts';

/** Rounds a number, given as its whole units of a decimal place, the rest, and the size of a unit. */
type Choose = (whole: bigint, rest: bigint, unit: bigint) => bigint;

const toEven: Choose = (whole, rest, unit) => {
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const up = twice > unit || (twice === unit && whole % 2n !== 0n);
  return up ? whole + (rest < 0n ? -1n : 1n) : whole;
};

const towardZero: Choose = (whole) => whole;

/** Returns the number in units of 10^-place, rounded by `choose`. */
function unitsOf({ digits, exponent }: Finite, place: number, choose: Choose): bigint {
  const shift = exponent + place;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return choose(digits / unit, digits % unit, unit);
}

/**
 * Makes $round (half to even) and $trunc to a decimal place from -20 to 100. The exact value of a double is rounded:
 * the double nearest to 2.675 is less than 2.675.
 */
function toPlace(name: string, choose: Choose): [string, Operator] {
  return ranged(name, 1, ['null'], ([value, given = 0]) => {
    if (isNullish(value)) return null;
    const n = numeric(name, value, 51081);
    if (isNullish(given)) return null;
    const place = integerOf(given);
    if (place === undefined)
      return fail(51082, `precision argument to  ${name} must be a integral value`);
    if (place < -20 || place > 100) {
      fail(51083, `cannot apply ${name} with precision value ${place} value must be in [-20, 100]`);
    }
    if (n instanceof Decimal128) unsupported(`${name} of a decimal`);
    if (n instanceof Double) return roundDouble(name, n, place, choose);
    return place >= 0 ? n : roundInteger(name, n, place, choose);
  });
}

function roundDouble(name: string, n: Double, place: number, choose: Choose): Value {
  const exact = exactOf(n);
  if (typeof exact === 'string' || n.value === 0) return n;
  const units = unitsOf(roundedTo(34, exact), place, choose);
  // MongoDB computes this in Decimal128, which has 34 digits.
  if (units.toString().replace('-', '').length > 34) {
    unsupported(`${name} of a number with more than 34 digits to that place`);
  }
  const rounded = Number(`${units}e${-place}`);
  return new Double(rounded === 0 && n.value < 0 ? -0 : rounded);
}

function roundInteger(name: string, n: Numeric, place: number, choose: Choose): Value {
  const units = unitsOf(exactOf(n) as Finite, place, choose);
  const rounded = units * 10n ** BigInt(-place);
  if (!fitsLong(rounded)) {
    fail(
      51080,
      `invalid conversion from Decimal128 result in ${name} resulting from arguments: [${n}, ${place}]`,
    );
  }
  return typeof n === 'bigint' ? rounded : intOrLong(rounded);
}

export const ROUNDING: [string, Operator][] = [
  toPlace('$round', toEven),
  toPlace('$trunc', towardZero),
];

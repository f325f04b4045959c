import { compareValues, equalValues, RANK, rankOf } from '../bson/compare.ts';
import { keyOf } from '../bson/keys.ts';
import { isNaNValue, isNumeric, longOf, numberOf } from '../bson/numbers.ts';
import {
  type Document,
  isCondition,
  isSymbol,
  Regex,
  Singular,
  symbolText,
  TYPE,
  typeOf,
  UNDEFINED,
  type Value,
} from '../bson/values.ts';
import { fail } from '../errors.ts';
import { bitTest } from './bits.ts';
import { patternOf } from './regex/regex.ts';

/** Tests one value. Undefined is a missing field. */
export type ValueTest = (value: Value | undefined) => boolean;

export function equalTo(wanted: Value): ValueTest {
  if (wanted instanceof Regex) return regexTest(wanted);
  if (wanted === null)
    return (value) => value === null || value === undefined || value === UNDEFINED;
  if (wanted === UNDEFINED) fail('BadValue', 'cannot compare to undefined');
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  if (typeof wanted === 'string') {
    return (value) => value === wanted || (isSymbol(value) && symbolText(value) === wanted);
  }
  return (value) => value !== undefined && equalValues(value, wanted);
}

/** Makes the test of $gt, $gte, $lt and $lte, which match only the type of their argument ("type bracketing"). */
function comparing(wanted: Value, accepts: (order: number) => boolean): ValueTest {
  if (wanted instanceof Regex) fail('BadValue', "Can't have RegEx as arg to predicate over field");
  const equal = accepts(0);
  if (wanted === null) return (value) => equal && equalTo(null)(value);
  if (isNumeric(wanted) && isNaNValue(wanted)) {
    return (value) => equal && isNumeric(value) && isNaNValue(value);
  }
  const rank = rankOf(wanted);
  if (wanted instanceof Singular) {
    // MinKey and MaxKey are compared with values of all types. A missing field compares as null.
    return (value) => accepts(compareValues(value ?? null, wanted));
  }
  return (value) =>
    value !== undefined &&
    rankOf(value) === rank &&
    !(rank === RANK.number && isNumeric(value) && isNaNValue(value)) &&
    accepts(compareValues(value, wanted));
}

export function regexTest(wanted: Regex): ValueTest {
  const regex = patternOf(wanted);
  return (value) => {
    if (typeof value === 'string') return regex.test(value);
    if (isSymbol(value)) return regex.test(symbolText(value));
    return value instanceof Regex && equalValues(value, wanted);
  };
}

const MANY = 16;

export function inTest(list: Value): ValueTest {
  if (!Array.isArray(list)) return fail('BadValue', '$in needs an array');
  if (list.some(isCondition)) fail('BadValue', 'cannot nest $ under $in');
  const plain = list.filter((wanted) => !(wanted instanceof Regex) && wanted !== null);
  const others = list.filter((wanted) => wanted instanceof Regex || wanted === null).map(equalTo);
  if (plain.length < MANY) for (const wanted of plain) others.push(equalTo(wanted));
  const keys = new Set(plain.length < MANY ? [] : plain.map(textKey));
  return (value) =>
    others.some((test) => test(value)) ||
    (keys.size > 0 && value !== undefined && keys.has(textKey(value)));
}

const textKey = (value: Value): string => keyOf([value]).toString('latin1');

const ALIASES = new Map<string, number[]>([
  ...Object.entries(TYPE).map(([name, code]): [string, number[]] => [name, [code]]),
  ['number', [TYPE.double, TYPE.int, TYPE.long, TYPE.decimal]],
]);

function typeTest(argument: Value): ValueTest {
  const wanted = new Set((Array.isArray(argument) ? argument : [argument]).flatMap(typeCodes));
  if (wanted.size === 0) fail('FailedToParse', '$type must match at least one type');
  return (value) => value !== undefined && wanted.has(typeOf(value));
}

function typeCodes(alias: Value): number[] {
  if (typeof alias === 'string') {
    return ALIASES.get(alias) ?? fail('BadValue', `Unknown type name alias: ${alias}`);
  }
  const code = numberOf(alias);
  if (code === undefined)
    return fail('TypeMismatch', 'type must be represented as a number or a string');
  if (code === -1) return [TYPE.minKey];
  if (code !== TYPE.minKey && [...ALIASES.values()].some((codes) => codes[0] === code))
    return [code];
  return fail('BadValue', `Invalid numerical type code: ${code}`);
}

function modTest(argument: Value): ValueTest {
  if (!Array.isArray(argument) || argument.length < 2) {
    return fail('BadValue', 'malformed mod, not enough elements');
  }
  if (argument.length > 2) fail('BadValue', 'malformed mod, too many elements');
  const [divisor, remainder] = argument as [Value, Value];
  const by = modPart('divisor', divisor);
  const rest = modPart('remainder', remainder);
  if (by === 0n) fail('BadValue', 'divisor cannot be 0');
  const [small, smallRest] = [Number(by), Number(rest)];
  return (value) => {
    if (typeof value === 'number') return (value % small) + 0 === smallRest;
    const long = isNumeric(value) ? longOf(value) : undefined;
    return long !== undefined && long % by === rest;
  };
}

/** Returns a number without its fraction as a 64-bit integer. Throws for other values. */
function modPart(name: string, value: Value): bigint {
  if (!isNumeric(value)) return fail('BadValue', `malformed mod, ${name} not a number`);
  return longOf(value) ?? fail('BadValue', `malformed mod, ${name} value is invalid`);
}

function sizeTest(argument: Value): ValueTest {
  const size = numberOf(argument);
  if (size === undefined) return fail('FailedToParse', 'Failed to parse $size. Expected a number');
  if (!Number.isInteger(size)) fail('FailedToParse', 'Failed to parse $size. Expected an integer');
  if (size < 0) fail('FailedToParse', 'Failed to parse $size. Expected a non-negative number');
  return (value) => Array.isArray(value) && value.length === size;
}

function regexOf(argument: Value, beside: Document): Regex {
  const options = beside.get('$options');
  if (options !== undefined && typeof options !== 'string')
    fail('BadValue', '$options has to be a string');
  if (argument instanceof Regex) {
    if (options !== undefined && argument.options) {
      fail(51075, 'options set in both $regex and $options');
    }
    return new Regex(argument.pattern, (options as string | undefined) ?? argument.options);
  }
  if (typeof argument !== 'string') fail('BadValue', '$regex has to be a string');
  return new Regex(argument as string, (options as string | undefined) ?? '');
}

/** The operators that test one value. `beside` has the other operators of the condition: $options needs its $regex. */
const OPERATORS: Record<string, (argument: Value, beside: Document) => ValueTest> = {
  // A regular expression is a pattern only in {a: /x/}. In {a: {$eq: /x/}} it is a value.
  $eq: (argument) =>
    argument instanceof Regex
      ? (value) => value instanceof Regex && equalValues(value, argument)
      : equalTo(argument),
  $gt: (argument) => comparing(argument, (order) => order > 0),
  $gte: (argument) => comparing(argument, (order) => order >= 0),
  $lt: (argument) => comparing(argument, (order) => order < 0),
  $lte: (argument) => comparing(argument, (order) => order <= 0),
  $in: inTest,
  $regex: (argument, beside) => regexTest(regexOf(argument, beside)),
  $type: typeTest,
  $mod: modTest,
  $size: sizeTest,
  $bitsAllSet: (argument) => bitTest(argument, (set, bits) => bits.every(set), '$bitsAllSet'),
  $bitsAnySet: (argument) => bitTest(argument, (set, bits) => bits.some(set), '$bitsAnySet'),
  $bitsAllClear: (argument) => bitTest(argument, (set, bits) => !bits.some(set), '$bitsAllClear'),
  $bitsAnyClear: (argument) => bitTest(argument, (set, bits) => !bits.every(set), '$bitsAnyClear'),
};

export function valueOperator(name: string, argument: Value, beside: Document): ValueTest {
  if (!Object.hasOwn(OPERATORS, name)) fail('BadValue', `unknown operator: ${name}`);
  return (OPERATORS[name] as (typeof OPERATORS)[string])(argument, beside);
}

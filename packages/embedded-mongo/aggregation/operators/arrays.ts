import { compareValues } from '../../bson/compare.ts';
import { integerOf } from '../../bson/numbers.ts';
import { typeName, UNDEFINED, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  evaluated,
  named,
  type Operator,
  positional,
  unary,
  wrongType,
} from './arguments.ts';
import { contains } from './variables.ts';

const index = (name: string, value: Argument, code: number): number =>
  integerOf(value) ?? wrongType(name, 'an integer', value, code);

function elementAt([array, at]: Argument[]): Value | undefined {
  if (isNullish(array) || isNullish(at)) return null;
  if (!Array.isArray(array)) return wrongType('$arrayElemAt', 'an array', array, 28689);
  const i = index('$arrayElemAt', at, 28690);
  return array.at(i);
}

const edge = (name: string, at: number): [string, Operator] =>
  unary(name, (array) => {
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType(name, 'an array', array, 28689);
    return array.at(at);
  });

function concatArrays(args: Argument[]): Value {
  const all: Value[] = [];
  for (const array of args) {
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$concatArrays', 'arrays', array, 28664);
    for (const element of array) all.push(element);
  }
  return all;
}

function slice([array, ...numbers]: Argument[]): Value {
  if (isNullish(array) || numbers.some(isNullish)) return null;
  if (!Array.isArray(array)) return wrongType('$slice', 'an array', array, 28724);
  const [first = 0, second] = numbers.map((n) => index('$slice', n, 28725));
  if (second === undefined) return first < 0 ? array.slice(first) : array.slice(0, first);
  if (second <= 0) fail(28729, 'Third argument to $slice must be positive');
  const start = first < 0 ? Math.max(0, array.length + first) : first;
  return array.slice(start, start + second);
}

function range([start, end, step]: Argument[]): Value {
  const from = index('$range', start, 34443);
  const to = index('$range', end, 34445);
  const by = step === undefined ? 1 : index('$range', step, 34447);
  if (by === 0) fail(34449, '$range requires a non-zero step value');
  const values: number[] = [];
  for (let n = from; by > 0 ? n < to : n > to; n += by) {
    values.push(n);
    if (values.length > 1_000_000) fail('BadValue', '$range would make more than 1000000 elements');
  }
  return values;
}

function indexOf([array, wanted, start, end]: Argument[]): Value {
  if (isNullish(array)) return null;
  if (!Array.isArray(array)) return wrongType('$indexOfArray', 'an array', array, 40090);
  const from = start === undefined ? 0 : index('$indexOfArray', start, 40096);
  if (from < 0) fail(40097, '$indexOfArray requires a nonnegative starting index');
  const to = Math.min(
    array.length,
    end === undefined ? array.length : index('$indexOfArray', end, 40096),
  );
  for (let i = from; i < to; i++) {
    if (wanted !== undefined && compareValues(array[i] as Value, wanted) === 0) return i;
  }
  return -1;
}

function arrayToObject(array: Argument): Value {
  if (isNullish(array)) return null;
  if (!Array.isArray(array)) return wrongType('$arrayToObject', 'an array', array, 40386);
  const object = new Map<string, Value>();
  for (const element of array) {
    const [name, value] = Array.isArray(element)
      ? element
      : element instanceof Map
        ? [element.get('k'), element.get('v')]
        : wrongType('$arrayToObject', 'arrays or objects as elements', element, 40398);
    if (typeof name !== 'string')
      fail(40394, `$arrayToObject requires a string as key, found: ${typeName(name)}`);
    object.set(fieldName(name as string), (value as Value | undefined) ?? null);
  }
  return object;
}

/** Checks a computed field name. A name with a zero byte is refused, because BSON cannot hold it. */
export function fieldName(name: string): string {
  return name.includes('\0')
    ? fail('FailedToParse', 'A field name cannot contain a null byte')
    : name;
}

function zip(inputs: Argument[], longest: boolean, defaults: Argument[]): Value {
  if (inputs.some(isNullish)) return null;
  const arrays = inputs.map((input): Value[] =>
    Array.isArray(input) ? input : wrongType('$zip', 'arrays as inputs', input, 34468),
  );
  const longer = longest ? Math.max : Math.min;
  const length = arrays.map((array) => array.length).reduce((a, b) => longer(a, b));
  return Array.from({ length }, (_, i) =>
    arrays.map((array, j) => (i < array.length ? (array[i] as Value) : (defaults[j] ?? null))),
  );
}

const zipOperator = named(
  '$zip',
  ['inputs', 'useLongestLength', 'defaults'],
  ['inputs'],
  (parts, compile) => {
    const [inputs, defaults = []] = [parts.get('inputs'), parts.get('defaults')];
    const longest = parts.get('useLongestLength') ?? false;
    if (!Array.isArray(inputs)) return wrongType('$zip', 'an array of inputs', inputs, 34461);
    if (!Array.isArray(defaults)) return wrongType('$zip', 'an array of defaults', defaults, 34462);
    if (typeof longest !== 'boolean') return wrongType('$zip', 'a boolean', longest, 34463);
    if (inputs.length === 0) fail(34465, '$zip requires at least one input array');
    if (defaults.length > 0 && !longest)
      fail(34467, 'cannot specify defaults unless useLongestLength is true');
    if (defaults.length > 0 && defaults.length !== inputs.length)
      fail(34466, 'defaults and inputs must have the same length');
    const [arrays, fillers] = [inputs.map(compile), defaults.map(compile)];
    return (variables) =>
      zip(
        arrays.map((array) => array(variables)),
        longest,
        fillers.map((filler) => filler(variables)),
      );
  },
);

/** $firstN, $lastN, $maxN and $minN of an array. */
const several = (name: string, take: (array: Value[], n: number) => Value[]): [string, Operator] =>
  evaluated(name, ['n', 'input'], ['n', 'input'], (get) => {
    const [array, n] = [get('input'), integerOf(get('n'))];
    if (n === undefined || n < 1)
      return fail(5787902, `'n' must be a positive integer for ${name}`);
    if (!Array.isArray(array)) return wrongType(name, 'an array', array, 5788200);
    return take(array, n);
  });

export const ascending = (array: readonly Value[]): Value[] =>
  array.filter((value) => value !== null && value !== UNDEFINED).sort(compareValues);

function isIn([value, array]: Argument[]): Value {
  if (!Array.isArray(array)) return wrongType('$in', 'an array as a second argument', array, 40081);
  return value !== undefined && contains(array, value);
}

export const ARRAYS: [string, Operator][] = [
  positional('$arrayElemAt', 2, 2, elementAt),
  edge('$first', 0),
  edge('$last', -1),
  positional('$concatArrays', 0, Number.POSITIVE_INFINITY, concatArrays),
  positional('$slice', 2, 3, slice),
  positional('$range', 2, 3, range),
  positional('$indexOfArray', 2, 4, indexOf),
  positional('$in', 2, 2, isIn),
  unary('$size', (array) =>
    Array.isArray(array)
      ? array.length
      : wrongType('The argument to $size', 'an array', array, 17124),
  ),
  unary('$isArray', (value) => Array.isArray(value)),
  unary('$reverseArray', (array) => {
    if (isNullish(array)) return null;
    return Array.isArray(array)
      ? [...array].reverse()
      : wrongType('$reverseArray', 'an array', array, 34435);
  }),
  unary('$arrayToObject', arrayToObject),
  zipOperator,
  several('$firstN', (array, n) => array.slice(0, n)),
  several('$lastN', (array, n) => array.slice(-n)),
  several('$minN', (array, n) => ascending(array).slice(0, n)),
  several('$maxN', (array, n) => ascending(array).reverse().slice(0, n)),
];

import { compareValues } from '../../bson/compare.ts';
import { int32Of, integerOf, isNumeric } from '../../bson/numbers.ts';
import { isDocument, UNDEFINED, type Value } from '../../bson/values.ts';
import { type CodeName, fail } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  checkElements,
  evaluated,
  fixed,
  type NamedSignature,
  named,
  type Operator,
  ranged,
  unary,
  variadic,
  wrongType,
} from './arguments.ts';
import { contains } from './variables.ts';

/** Returns a 32-bit integer. There is one code for a value that is no number, and one for any other number. */
function index(name: string, value: Argument, noNumber: number, noInteger: number): number {
  if (!isNumeric(value)) return wrongType(name, 'a numeric value', value, noNumber);
  return int32Of(value) ?? wrongType(name, 'a 32-bit integer', value, noInteger);
}

/** Returns a position in a text or an array from the arguments of $indexOfArray and its kin. */
export function positionOf(name: string, value: Argument): number {
  const at = index(name, value, 40096, 40096);
  return at >= 0 ? at : fail(40097, `${name} requires a nonnegative index, found: ${at}`);
}

function elementAt([array, at]: Argument[]): Value | undefined {
  if (isNullish(array) || isNullish(at)) return null;
  if (!Array.isArray(array)) return wrongType('$arrayElemAt', 'an array', array, 28689);
  return array.at(index('$arrayElemAt', at, 28690, 28691));
}

const edge = (name: string, at: number): [string, Operator] =>
  unary(name, (array) => {
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType(name, 'an array', array, 28689);
    return array.at(at);
  });

/** The first array is copied as a whole, so that a $reduce that appends one element at a time stays quick. */
function concatArrays(args: Argument[]): Value {
  let all: Value[] | undefined;
  for (const array of args) {
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return wrongType('$concatArrays', 'arrays', array, 28664);
    checkElements((all?.length ?? 0) + array.length);
    if (all) for (const element of array) all.push(element);
    else all = array.slice();
  }
  return all ?? [];
}

function slice([array, first, second]: Argument[]): Value {
  if (isNullish(array) || isNullish(first)) return null;
  if (!Array.isArray(array)) return wrongType('$slice', 'an array', array, 28724);
  const from = index('$slice', first, 28725, 28726);
  if (second === undefined) return from < 0 ? array.slice(from) : array.slice(0, from);
  if (isNullish(second)) return null;
  const count = index('$slice', second, 28727, 28728);
  if (count <= 0) fail(28729, `Third argument to $slice must be positive: ${count}`);
  const start = from < 0 ? Math.max(0, array.length + from) : from;
  return array.slice(start, start + count);
}

function range([start, end, step = 1]: Argument[]): Value {
  const from = index('$range', start, 34443, 34444);
  const to = index('$range', end, 34445, 34446);
  const by = index('$range', step, 34447, 34448);
  if (by === 0) fail(34449, '$range requires a non-zero step value');
  const values: number[] = [];
  for (let n = from; by > 0 ? n < to : n > to; n += by) {
    values.push(n);
    if (values.length > 1_000_000) fail('BadValue', '$range would make more than 1000000 elements');
  }
  return values;
}

function indexOf([array, wanted, start = 0, end]: Argument[]): Value {
  if (isNullish(array)) return null;
  if (!Array.isArray(array)) return wrongType('$indexOfArray', 'an array', array, 40090);
  const from = positionOf('$indexOfArray', start);
  const last = end === undefined ? array.length : positionOf('$indexOfArray', end);
  for (let i = from; i < Math.min(array.length, last); i++) {
    if (wanted !== undefined && compareValues(array[i] as Value, wanted) === 0) return i;
  }
  return -1;
}

/** Makes an object of [key, value] pairs or of {k, v} documents. The first element decides which. */
function arrayToObject(array: Argument): Value {
  if (isNullish(array)) return null;
  if (!Array.isArray(array)) return wrongType('$arrayToObject', 'an array', array, 40386);
  const [first] = array;
  const entryOf = Array.isArray(first) ? pairEntry : documentEntry;
  if (first !== undefined && !Array.isArray(first) && !isDocument(first))
    return wrongType('$arrayToObject', 'arrays or objects as elements', first, 40398);
  return new Map(array.map(entryOf));
}

function pairEntry(element: Value): [string, Value] {
  if (!Array.isArray(element))
    return wrongType('$arrayToObject', 'arrays after an array', element, 40396);
  const [key, value] = element;
  if (value === undefined || element.length !== 2)
    return fail(40397, `$arrayToObject requires arrays of size 2, found: ${element.length}`);
  if (typeof key !== 'string') return wrongType('$arrayToObject', 'a string as key', key, 40395);
  return [fieldName(key, 4940400), value];
}

function documentEntry(element: Value): [string, Value] {
  if (!isDocument(element))
    return wrongType('$arrayToObject', 'objects after an object', element, 40391);
  if (element.size !== 2)
    fail(40392, `$arrayToObject requires the keys 'k' and 'v', found keys: ${element.size}`);
  const [key, value] = [element.get('k'), element.get('v')];
  if (key === undefined || value === undefined)
    return fail(40393, "$arrayToObject requires the keys 'k' and 'v'");
  if (typeof key !== 'string') return wrongType('$arrayToObject', 'a string as k', key, 40394);
  return [fieldName(key, 4940401), value];
}

/** Checks a computed field name. A name with a zero byte is refused, because BSON cannot hold it. */
export const fieldName = (name: string, code: CodeName | number = 'FailedToParse'): string =>
  name.includes('\0') ? fail(code, 'Key field cannot contain an embedded null byte') : name;

function zip(inputs: Argument[], longest: boolean, defaults: Argument[]): Value {
  const arrays: Value[][] = [];
  for (const input of inputs) {
    if (isNullish(input)) return null;
    if (!Array.isArray(input)) return wrongType('$zip', 'arrays as inputs', input, 34468);
    arrays.push(input);
  }
  const better = longest ? Math.max : Math.min;
  const length = arrays.reduce((best, array) => better(best, array.length), arrays[0]?.length ?? 0);
  checkElements(length * arrays.length);
  return Array.from({ length }, (_, i) =>
    arrays.map((array, j) => (i < array.length ? (array[i] as Value) : (defaults[j] ?? null))),
  );
}

const ZIP: NamedSignature = {
  object: 34460,
  unknown: 34464,
  required: { inputs: 34465 },
  optional: { useLongestLength: 'error', defaults: 'error' },
};

const zipOperator = named('$zip', ZIP, (parts, compile) => {
  const inputs = parts.get('inputs');
  const longest = parts.has('useLongestLength') ? parts.get('useLongestLength') : false;
  const defaults = parts.has('defaults') ? parts.get('defaults') : [];
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
});

/** $firstN, $lastN, $maxN and $minN of an array. `object` is the code for an argument that is no object. */
const several = (
  name: string,
  object: number,
  take: (array: Value[], n: number) => Value[],
): [string, Operator] =>
  evaluated(
    name,
    { object, unknown: 5787901, required: { n: 5787906, input: 5787907 }, optional: {} },
    ({ get }) => {
      const n = numberOfElements(get('n'));
      const array = get('input');
      if (!Array.isArray(array)) return wrongType(name, 'an array', array, 5788200);
      return take(array, n);
    },
  );

/** Returns the `n` of $firstN and its kin. */
export function numberOfElements(value: Argument): number {
  if (!isNumeric(value)) return wrongType("'n'", 'an integral value', value, 5787902);
  const n = integerOf(value) ?? wrongType("'n'", 'an integral value', value, 5787903);
  return n > 0 ? n : fail(5787908, `'n' must be greater than 0, found ${n}`);
}

export const ascending = (array: readonly Value[]): Value[] =>
  array.filter((value) => value !== null && value !== UNDEFINED).sort(compareValues);

function isIn([value, array]: Argument[]): Value {
  if (!Array.isArray(array)) return wrongType('$in', 'an array as a second argument', array, 40081);
  return value !== undefined && contains(array, value);
}

export const ARRAYS: [string, Operator][] = [
  fixed('$arrayElemAt', 2, elementAt),
  edge('$first', 0),
  edge('$last', -1),
  variadic('$concatArrays', concatArrays),
  ranged('$slice', 2, ['null'], slice),
  ranged('$range', 2, ['error'], range),
  ranged('$indexOfArray', 2, ['error', 'error'], indexOf),
  fixed('$in', 2, isIn),
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
  several('$firstN', 5787801, (array, n) => array.slice(0, n)),
  several('$lastN', 5787801, (array, n) => array.slice(-n)),
  several('$minN', 5787900, (array, n) => ascending(array).slice(0, n)),
  several('$maxN', 5787900, (array, n) => ascending(array).reverse().slice(0, n)),
];

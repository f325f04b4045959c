import { compareStrings } from '../../bson/compare.ts';
import { int32Of, isNumeric, longOf } from '../../bson/numbers.ts';
import { typeName, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  checkBytes,
  evaluated,
  fixed,
  type NamedSignature,
  type Operator,
  ranged,
  text,
  unary,
  variadic,
  wrongType,
} from './arguments.ts';
import { positionOf } from './arrays.ts';
import { countCodePoints, skipCodePoints } from './code-points.ts';
import { toText } from './conversions.ts';

function concat(args: Argument[]): Value {
  let text = '';
  for (const part of args) {
    if (isNullish(part)) return null;
    if (typeof part !== 'string')
      fail(16702, `$concat only supports strings, not ${typeName(part)}`);
    checkBytes(text.length + (part as string).length);
    text += part as string;
  }
  return text;
}

/** MongoDB changes the case of ASCII letters only. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

function substrCP([value, start, length]: Argument[]): Value {
  const points = [...toText(value)];
  const from = int32('starting index', start, 34450, 34451);
  const size = int32('length', length, 34452, 34453);
  if (size < 0) fail(34454, '$substrCP: length must be a nonnegative integer.');
  if (from < 0) fail(34455, '$substrCP: the starting index must be a non-negative integer.');
  return points.slice(from, from + size).join('');
}

function int32(what: string, value: Argument, noNumber: number, noInteger: number): number {
  if (!isNumeric(value)) return wrongType(`$substrCP: ${what}`, 'a number', value, noNumber);
  const n = int32Of(value);
  return n ?? wrongType(`$substrCP: ${what}`, 'a 32-bit integer', value, noInteger);
}

/** Returns a number without its fraction, as $substrBytes does. */
const long = (what: string, value: Argument, code: number): number =>
  Number(
    (isNumeric(value) ? longOf(value) : undefined) ??
      wrongType(`$substrBytes: ${what}`, 'a number', value, code),
  );

function substrBytes([value, start, length]: Argument[]): Value {
  const bytes = Buffer.from(toText(value));
  const from = long('starting index', start, 16034);
  const size = long('length', length, 16035);
  if (from < 0) fail(50752, `$substrBytes: starting index must be non-negative (got: ${from})`);
  const end = size < 0 ? bytes.length : Math.min(bytes.length, from + size);
  const inside = (at: number): boolean =>
    at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
  if (inside(from))
    fail(28656, '$substrBytes: Invalid range, starting index is a UTF-8 continuation byte.');
  if (inside(end))
    fail(28657, '$substrBytes: Invalid range, ending index is in the middle of a UTF-8 character.');
  return bytes.subarray(from, Math.max(from, end)).toString();
}

function split([value, by]: Argument[]): Value {
  if (isNullish(value) || isNullish(by)) return null;
  const [whole, separator] = [text('$split', value, 40085), text('$split', by, 40086)];
  if (separator === '') fail(40087, '$split requires a non-empty separator');
  return whole.split(separator);
}

const SPACES =
  '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

const TRIM: NamedSignature = {
  object: 50696,
  unknown: 50694,
  required: { input: 50695 },
  optional: { chars: 'null' },
};

const trim = (name: string, left: boolean, right: boolean): [string, Operator] =>
  evaluated(name, TRIM, ({ get }) => {
    const input = get('input');
    if (isNullish(input)) return null;
    const points = [...text(name, input, 50699)];
    const { chars = SPACES } = { chars: get('chars') };
    if (isNullish(chars)) return null;
    const strip = new Set(text(name, chars, 50700));
    let [start, end] = [0, points.length];
    while (left && start < end && strip.has(points[start] as string)) start++;
    while (right && end > start && strip.has(points[end - 1] as string)) end--;
    return points.slice(start, end).join('');
  });

/** Returns the arguments of $indexOfCP and $indexOfBytes; null for a text that is null or missing. */
function searchOf(name: string, codes: [number, number], args: Argument[]): Search | null {
  const [value, wanted, start = 0, end] = args;
  if (isNullish(value)) return null;
  const whole = text(name, value, codes[0]);
  const part = text(name, wanted, codes[1]);
  const from = positionOf(name, start);
  return { whole, part, from, end: end === undefined ? undefined : positionOf(name, end) };
}

interface Search {
  whole: string;
  part: string;
  from: number;
  end: number | undefined;
}

/** Searches by code points. A match begins before `end`, but may go beyond, as in MongoDB. */
function indexOfCP(args: Argument[]): Value {
  const search = searchOf('$indexOfCP', [40093, 40094], args);
  if (!search) return null;
  const { whole, part, from, end = Number.POSITIVE_INFINITY } = search;
  if (whole === '' && part === '') return 0;
  const start = skipCodePoints(whole, from);
  const at = start < whole.length ? whole.indexOf(part, start) : -1;
  if (at < 0) return -1;
  const found = from + countCodePoints(whole, start, at);
  return found < end ? found : -1;
}

/** Searches by bytes. A match ends before `end`. */
function indexOfBytes(args: Argument[]): Value {
  const search = searchOf('$indexOfBytes', [40091, 40092], args);
  if (!search) return null;
  const bytes = Buffer.from(search.whole);
  const end = Math.min(bytes.length, search.end ?? bytes.length);
  if (search.from > bytes.length || end < search.from) return -1;
  return bytes.subarray(0, end).indexOf(search.part, search.from);
}

const REPLACE: NamedSignature = {
  object: 51751,
  unknown: 51750,
  required: { input: 51749, find: 51748, replacement: 51747 },
  optional: {},
};

const textOrNull = (name: string, value: Argument, code: number): string | null =>
  isNullish(value) ? null : text(name, value, code);

const replace = (name: string, all: boolean): [string, Operator] =>
  evaluated(name, REPLACE, ({ get }) => {
    const whole = textOrNull(name, get('input'), 51746);
    const from = textOrNull(name, get('find'), 51745);
    const to = textOrNull(name, get('replacement'), 51744);
    if (whole === null || from === null || to === null) return null;
    if (!all) return whole.replace(from, () => to);
    if (from === '' && /[^\0-\x7f]/.test(whole))
      unsupported(`${name} of an empty string in a text that is not ASCII`);
    let bytes = whole.length;
    return whole.replaceAll(from, () => {
      bytes += to.length;
      checkBytes(bytes);
      return to;
    });
  });

export const STRINGS: [string, Operator][] = [
  variadic('$concat', concat),
  unary('$toLower', (value) => lower(toText(value))),
  unary('$toUpper', (value) => upper(toText(value))),
  unary('$strLenCP', (value) => countCodePoints(text('$strLenCP', value, 34471))),
  unary('$strLenBytes', (value) => Buffer.byteLength(text('$strLenBytes', value, 34473))),
  fixed('$strcasecmp', 2, ([a, b]) =>
    Math.sign(compareStrings(upper(toText(a)), upper(toText(b)))),
  ),
  fixed('$substrCP', 3, substrCP),
  fixed('$substrBytes', 3, substrBytes),
  fixed('$substr', 3, substrBytes),
  fixed('$split', 2, split),
  trim('$trim', true, true),
  trim('$ltrim', true, false),
  trim('$rtrim', false, true),
  ranged('$indexOfCP', 2, ['error', 'error'], indexOfCP),
  ranged('$indexOfBytes', 2, ['error', 'error'], indexOfBytes),
  replace('$replaceOne', false),
  replace('$replaceAll', true),
];

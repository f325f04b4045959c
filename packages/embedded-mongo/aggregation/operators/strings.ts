import { compareStrings } from '../../bson/compare.ts';
import { integerOf } from '../../bson/numbers.ts';
import { Regex, typeName, type Value } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { toRegExp } from '../../query/regex.ts';
import { isNullish } from '../variables.ts';
import {
  type Argument,
  evaluated,
  type Operator,
  positional,
  unary,
  wrongType,
} from './arguments.ts';
import { toText } from './conversions.ts';

function concat(args: Argument[]): Value {
  let text = '';
  for (const part of args) {
    if (isNullish(part)) return null;
    if (typeof part !== 'string')
      fail(16702, `$concat only supports strings, not ${typeName(part)}`);
    text += part as string;
  }
  return text;
}

/** MongoDB changes the case of ASCII letters only. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const text = (name: string, value: Argument, code: number): string =>
  typeof value === 'string' ? value : wrongType(name, 'a string', value, code);

const count = (name: string, value: Argument): number => {
  const n = integerOf(value);
  return n === undefined || n < 0 ? fail(34452, `${name}: needs a non-negative integer`) : n;
};

function substrCP([value, start, length]: Argument[]): Value {
  const points = [...toText(value)];
  const from = count('$substrCP', start);
  return points.slice(from, from + count('$substrCP', length)).join('');
}

function substrBytes([value, start, length]: Argument[]): Value {
  const bytes = Buffer.from(toText(value));
  const from = integerOf(start) ?? fail(16034, '$substrBytes: starting index must be a number');
  const size = integerOf(length) ?? fail(16035, '$substrBytes: length must be a number');
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
  const separator = text('$split', by, 40086);
  if (separator === '') fail(40087, '$split requires a non-empty separator');
  return text('$split', value, 40085).split(separator);
}

const SPACES =
  '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

const trim = (name: string, left: boolean, right: boolean): [string, Operator] =>
  evaluated(name, ['input', 'chars'], ['input'], (get) => {
    const [input, chars] = [get('input'), get('chars')];
    if (isNullish(input) || chars === null) return null;
    const strip = new Set(chars === undefined ? SPACES : text(name, chars, 50700));
    const points = [...text(name, input, 50699)];
    let [start, end] = [0, points.length];
    while (left && start < end && strip.has(points[start] as string)) start++;
    while (right && end > start && strip.has(points[end - 1] as string)) end--;
    return points.slice(start, end).join('');
  });

/** Makes $indexOfCP and $indexOfBytes. `units` splits a text into the units that are counted. */
const indexOf = (name: string, units: (value: string) => ArrayLike<unknown>): [string, Operator] =>
  positional(name, 2, 4, ([value, wanted, start, end]) => {
    if (isNullish(value)) return null;
    const [all, part] = [units(text(name, value, 40091)), units(text(name, wanted, 40092))];
    const last = Math.min(all.length, end === undefined ? all.length : count(name, end));
    for (let i = start === undefined ? 0 : count(name, start); i + part.length <= last; i++) {
      let j = 0;
      while (j < part.length && all[i + j] === part[j]) j++;
      if (j === part.length) return i;
    }
    return -1;
  });

const replace = (name: string, all: boolean): [string, Operator] =>
  evaluated(name, ['input', 'find', 'replacement'], ['input', 'find', 'replacement'], (get) => {
    const [input, find, by] = [get('input'), get('find'), get('replacement')];
    if (isNullish(input) || isNullish(find) || isNullish(by)) return null;
    const [from, to] = [text(name, find, 51745), text(name, by, 51744)];
    const whole = text(name, input, 51746);
    return all ? whole.replaceAll(from, () => to) : whole.replace(from, () => to);
  });

/** Makes a regular expression from the arguments `regex` and `options`. It matches by code points. */
function patternOf(get: (part: string) => Argument, name: string): RegExp | undefined {
  const [regex, options] = [get('regex'), get('options')];
  if (isNullish(regex)) return undefined;
  const flags = typeof options === 'string' ? options : regex instanceof Regex ? regex.options : '';
  const pattern = regex instanceof Regex ? regex.pattern : text(name, regex, 51105);
  return toRegExp(new Regex(pattern, flags));
}

const PARTS = ['input', 'regex', 'options'] as const;

function found(match: RegExpExecArray): Value {
  const captures = match.slice(1).map((capture): Value => capture ?? null);
  const before = [...match.input.slice(0, match.index)].length;
  return new Map<string, Value>([
    ['match', match[0]],
    ['idx', before],
    ['captures', captures],
  ]);
}

const regex = (
  name: string,
  none: Value,
  apply: (pattern: RegExp, input: string) => Value,
): [string, Operator] =>
  evaluated(name, PARTS, ['input', 'regex'], (get) => {
    const pattern = patternOf(get, name);
    const input = get('input');
    if (isNullish(input) || !pattern) return none;
    return apply(pattern, text(name, input, 51104));
  });

export const STRINGS: [string, Operator][] = [
  positional('$concat', 0, Number.POSITIVE_INFINITY, concat),
  unary('$toLower', (value) => lower(toText(value))),
  unary('$toUpper', (value) => upper(toText(value))),
  unary('$strLenCP', (value) => [...text('$strLenCP', value, 34471)].length),
  unary('$strLenBytes', (value) => Buffer.byteLength(text('$strLenBytes', value, 34473))),
  positional('$strcasecmp', 2, 2, ([a, b]) =>
    Math.sign(compareStrings(upper(toText(a)), upper(toText(b)))),
  ),
  positional('$substrCP', 3, 3, substrCP),
  positional('$substrBytes', 3, 3, substrBytes),
  positional('$substr', 3, 3, substrBytes),
  positional('$split', 2, 2, split),
  trim('$trim', true, true),
  trim('$ltrim', true, false),
  trim('$rtrim', false, true),
  indexOf('$indexOfCP', (value) => [...value]),
  indexOf('$indexOfBytes', (value) => Buffer.from(value)),
  replace('$replaceOne', false),
  replace('$replaceAll', true),
  regex('$regexMatch', false, (pattern, input) => pattern.test(input)),
  regex('$regexFind', null, (pattern, input) => {
    const match = pattern.exec(input);
    return match ? found(match) : null;
  }),
  regex('$regexFindAll', [], (pattern, input) =>
    [...input.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(found),
  ),
];

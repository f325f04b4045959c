import { Regex, type Value } from '../../bson/values.ts';
import { fail, unsupported } from '../../errors.ts';
import { type Pattern, patternOf } from '../../query/regex/regex.ts';
import { isNullish } from '../variables.ts';
import {
  type Arguments,
  evaluated,
  type NamedSignature,
  type Operator,
  text,
} from './arguments.ts';
import { countCodePoints } from './code-points.ts';

const REGEX: NamedSignature = {
  object: 51103,
  unknown: 31024,
  required: { input: 31022, regex: 31023 },
  optional: { options: 'default' },
};

/** Returns the argument `regex` with the argument `options`; undefined for null. */
function regexOf(name: string, { get }: Arguments): Regex | undefined {
  const [regex, given] = [get('regex'), get('options')];
  const own = regex instanceof Regex ? regex : undefined;
  const pattern = own?.pattern ?? (isNullish(regex) ? undefined : text(name, regex, 51105));
  const options = given === undefined ? undefined : text(name, given, 51106);
  if (own && own.options !== '' && options !== undefined)
    fail(51107, `${name}: options are given in both 'regex' and 'options'`);
  if (pattern?.includes('\0'))
    fail(51109, `${name}: regular expression cannot contain an embedded null byte`);
  if (options?.includes('\0'))
    fail(51110, `${name}: regular expression options cannot contain an embedded null byte`);
  return pattern === undefined ? undefined : new Regex(pattern, options ?? own?.options ?? '');
}

/**
 * Makes an operator of `input`, `regex` and `options`. `none` is the result where one of the first two is null. The
 * pattern is checked before the input, also where the input is null.
 */
const matching = (
  name: string,
  none: Value,
  apply: (pattern: Pattern, input: string) => Value,
): [string, Operator] =>
  evaluated(name, REGEX, (args) => {
    const regex = regexOf(name, args);
    const pattern = regex && patternOf(regex, 51111);
    const input = args.get('input');
    if (isNullish(input)) return none;
    const whole = text(name, input, 51104);
    return pattern ? apply(pattern, whole) : none;
  });

/** Makes the result of one match. `idx` is its index in code points. */
function found(match: RegExpExecArray, idx: number): Value {
  return new Map<string, Value>([
    ['match', match[0]],
    ['idx', idx],
    ['captures', match.slice(1).map((capture): Value => capture ?? null)],
  ]);
}

/** Refuses a pattern whose groups JavaScript sets otherwise than PCRE. */
function checkCaptures(name: string, { capturesDiffer }: Pattern): void {
  if (capturesDiffer)
    unsupported(`${name} with a group that a repetition may leave out or match empty`, 51111);
}

function find(pattern: Pattern, input: string): Value {
  checkCaptures('$regexFind', pattern);
  const match = pattern.exec(input, 0);
  return match ? found(match, countCodePoints(input, 0, match.index)) : null;
}

/**
 * Returns all matches. A search begins where the last match ended, or a character later if that match was empty. No
 * search begins at the end of the text, unless the text is empty.
 */
function findAll(pattern: Pattern, input: string): Value {
  checkCaptures('$regexFindAll', pattern);
  const all: Value[] = [];
  let [from, at, idx] = [0, 0, 0];
  do {
    const match = pattern.exec(input, from);
    if (!match) break;
    idx += countCodePoints(input, at, match.index);
    at = match.index;
    all.push(found(match, idx));
    const next = input.codePointAt(at) ?? 0;
    from = at + (match[0].length || (next > 0xffff ? 2 : 1));
  } while (from < input.length);
  return all;
}

export const REGEXES: [string, Operator][] = [
  matching('$regexMatch', false, (pattern, input) => pattern.test(input)),
  matching('$regexFind', null, find),
  matching('$regexFindAll', [], findAll),
];

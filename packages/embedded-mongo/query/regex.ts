import type { Regex } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { repeatsRepeats, variesBehind } from './regex-checks.ts';

/**
 * PCRE as MongoDB runs it (UTF, `\s` and `\w` ASCII) in JavaScript's terms. Where the two differ the
 * pattern is rewritten; what JavaScript has no counterpart for is refused rather than misread.
 */
const BLANK = '\\t\\n\\v\\f\\r ';
const END = '(?![\\s\\S])';
const NOT_SHARED = /^[AZzGKhHRQEXNaeCPpgoLUuvV]$/;
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

const compiled = new Map<string, RegExp>();

export function toRegExp({ pattern, options }: Regex): RegExp {
  const key = `${options}/${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const unknown = /[^imsxu]/.exec(options);
  if (unknown) fail(51108, `invalid flag in regex options: ${unknown[0]}`);
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const flags = options + (inline?.[1] ?? '');
  const source = translate(pattern.slice(inline?.[0].length ?? 0), flags);
  if (repeatsRepeats(source)) {
    unsupported(
      `A repetition of what repeats, which may take forever, in the regular expression ${pattern}`,
      51091,
    );
  }
  if (variesBehind(source))
    unsupported(`A lookbehind of no fixed length in the regular expression ${pattern}`, 51091);
  const regex = compile(source, flags.includes('i') ? 'iu' : 'u');
  if (compiled.size > 1000) compiled.clear();
  compiled.set(key, regex);
  return regex;
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return fail(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

function translate(pattern: string, flags: string): string {
  const extended = flags.includes('x');
  const lines = flags.includes('m');
  const dot = flags.includes('s') ? '[\\s\\S]' : '[^\\n]';
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] as string;
    if (c === '\\') {
      const [text, used] = escapeAt(pattern, i, false);
      out += text;
      i += used;
    } else if (c === '[') {
      const [text, used] = characterClass(pattern, i);
      out += text;
      i += used;
    } else if (extended && /\s/.test(c)) continue;
    else if (extended && c === '#') i = endOfComment(pattern, i);
    else if (c === '.') out += dot;
    else if (c === '^') out += lines ? `(?<![^\\n])(?!(?<=\\n)${END})` : '^';
    else if (c === '$') out += lines ? `(?=\\n|${END})` : `(?=\\n?${END})`;
    else if (c === '(') out += group(pattern, i);
    else if (c === '{' && !/^\{\d+(,\d*)?\}/.test(pattern.slice(i))) out += '\\{';
    else if (c === '}' && !/\{\d+(,\d*)?$/.test(pattern.slice(0, i))) out += '\\}';
    else if (c === ']') out += '\\]';
    else if (
      c === '+' &&
      i > 0 &&
      /[*+?}]/.test(pattern[i - 1] as string) &&
      !escaped(pattern, i - 1)
    ) {
      unsupported(`A possessive quantifier in the regular expression ${pattern}`, 51091);
    } else out += c;
  }
  return out;
}

/** Tells whether the character at i follows an odd number of backslashes. */
function escaped(pattern: string, i: number): boolean {
  let slashes = 0;
  while (pattern[i - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function endOfComment(pattern: string, i: number): number {
  const end = pattern.indexOf('\n', i);
  return end < 0 ? pattern.length : end;
}

function group(pattern: string, i: number): string {
  if (
    pattern[i + 1] === '*' ||
    (pattern[i + 1] === '?' && !/^\(\?(:|=|!|<=|<!|<[A-Za-z_])/.test(pattern.slice(i)))
  ) {
    unsupported(`The group ${pattern.slice(i, i + 4)} in a regular expression`, 51091);
  }
  return '(';
}

/** Returns the escape at i in JavaScript's form, and the number of its further characters. */
function escapeAt(pattern: string, i: number, inClass: boolean): [string, number] {
  const c = pattern[i + 1];
  if (c === undefined) return fail(51091, 'Regular expression is invalid: \\ at end of pattern');
  if (NOT_SHARED.test(c)) unsupported(`\\${c} in a regular expression`, 51091);
  if (c === 's') return [inClass ? BLANK : `[${BLANK}]`, 1];
  if (c === 'S') {
    if (inClass) unsupported('\\S inside a character class', 51091);
    return [`[^${BLANK}]`, 1];
  }
  const code = /^\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(pattern.slice(i));
  if (code) return [`\\u{${code[1] ?? code[2]}}`, code[0].length - 1];
  if (/[A-Za-z0-9]/.test(c)) return [`\\${c}`, 1];
  if (SYNTAX.test(c) || (inClass && c === '-')) return [`\\${c}`, 1];
  return [c, 1];
}

/** Returns the character class at `start` in JavaScript's form, and the number of its further characters. */
function characterClass(pattern: string, start: number): [string, number] {
  let i = start + 1;
  let out = '[';
  if (pattern[i] === '^') {
    out += '^';
    i++;
  }
  for (let first = true; i < pattern.length; i++, first = false) {
    const c = pattern[i] as string;
    if (c === ']' && !first) return [`${out}]`, i - start];
    if (c === '[' && /^\[[:.=]/.test(pattern.slice(i))) {
      unsupported('A POSIX character class in a regular expression', 51091);
    }
    if (c === '\\') {
      const [text, used] = escapeAt(pattern, i, true);
      out += text;
      i += used;
    } else out += c === '[' || c === ']' ? `\\${c}` : c;
  }
  return fail(51091, 'Regular expression is invalid: missing terminating ] for character class');
}

/** Returns the text with which every match begins, for an index; empty when there is no certain text. */
export function literalPrefix({ pattern, options }: Regex): string {
  if (options.replace('u', '') !== '' || !pattern.startsWith('^') || pattern.includes('|'))
    return '';
  const literal = /^\^((?:[^\\.*+?()[\]{}|^$]|\\[^A-Za-z0-9])*)/.exec(pattern)?.[1] ?? '';
  const next = pattern[literal.length + 1];
  const certain =
    next !== undefined && /[*?{]/.test(next) ? literal.replace(/\\?.$/su, '') : literal;
  return certain.replace(/\\(.)/gs, '$1');
}

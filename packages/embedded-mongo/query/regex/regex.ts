import type { Regex } from '../../bson/values.ts';
import { fail, MongoError, unsupported } from '../../errors.ts';
import {
  capturesDiffer,
  prefersEmpty,
  refersToNothing,
  repeatsRepeats,
  unsetReference,
  variesBehind,
} from './regex-checks.ts';
import { parseRegex } from './regex-parser.ts';
import { sourceOf } from './regex-source.ts';
import { type ParsedRegex, someNode } from './regex-syntax.ts';

/**
 * A compiled regular expression, which matches as PCRE does for MongoDB: in UTF, with ASCII alone in \d, \s and \w. What
 * JavaScript cannot do is refused.
 */
export class Pattern {
  /** Whether a match may set its groups otherwise than in PCRE. */
  readonly capturesDiffer: boolean;
  private readonly tester: RegExp;
  private readonly searcher: RegExp;

  constructor(source: string, flags: string, differ: boolean) {
    this.tester = new RegExp(source, flags);
    this.searcher = new RegExp(source, `${flags}g`);
    this.capturesDiffer = differ;
  }

  test(text: string): boolean {
    try {
      return this.tester.test(text) && (!SURROGATE.test(text) || this.exec(text, 0) !== null);
    } catch (error) {
      return tooLarge(error);
    }
  }

  /** Searches from an offset. JavaScript also finds empty matches within a surrogate pair, which are passed over. */
  exec(text: string, from: number): RegExpExecArray | null {
    this.searcher.lastIndex = from;
    for (;;) {
      const match = this.search(text);
      if (!match || !isWithinPair(text, match.index)) return match;
      this.searcher.lastIndex = match.index + 1;
    }
  }

  private search(text: string): RegExpExecArray | null {
    try {
      return this.searcher.exec(text);
    } catch (error) {
      return tooLarge(error);
    }
  }
}

/** Converts JavaScript's error for a pattern that is too large, which it finds with the first text only. */
function tooLarge(error: unknown): never {
  if (!(error instanceof SyntaxError)) throw error;
  return unsupported('A regular expression that is compiled to more than JavaScript allows', 51091);
}

const SURROGATE = /[\ud800-\udfff]/;

const isWithinPair = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;

const compiled = new Map<string, Pattern>();

/** Compiles a regular expression. `code` is the code for one that is invalid or not supported. */
export function patternOf(regex: Regex, code = 51091): Pattern {
  const key = `${regex.options}/${regex.pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const pattern = withCode(code, () => compile(regex));
  if (compiled.size > 1000) compiled.clear();
  compiled.set(key, pattern);
  return pattern;
}

/** Gives an error about the pattern the code of the operator at hand. */
function withCode(code: number, work: () => Pattern): Pattern {
  try {
    return work();
  } catch (error) {
    if (error instanceof MongoError && error.code === 51091) fail(code, error.message);
    throw error;
  }
}

/** The length of the longest pattern. PCRE2 refuses what is longer, since its compiled form would exceed 64 KiB. */
const MAX_LENGTH = 32_764;

function compile({ pattern, options }: Regex): Pattern {
  if (pattern.length > MAX_LENGTH)
    fail(51091, 'Regular expression is invalid: regular expression is too large');
  const unknown = /[^imsxu]/.exec(options);
  if (unknown) fail(51108, `invalid flag in regex options: ${unknown[0]}`);
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const flags = options + (inline?.[1] ?? '');
  const parsed = parseRegex(pattern.slice(inline?.[0].length ?? 0), flags.includes('x'));
  const differ = capturesDiffer(parsed.root);
  check(pattern, parsed, differ);
  const source = sourceOf(parsed.root, {
    ignoreCase: flags.includes('i'),
    lines: flags.includes('m'),
    dotAll: flags.includes('s'),
    names: parsed.names,
  });
  try {
    return new Pattern(source, flags.includes('i') ? 'iu' : 'u', differ);
  } catch (error) {
    return fail(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

function check(pattern: string, parsed: ParsedRegex, differ: boolean): void {
  const { root } = parsed;
  const refuse = (what: string): never =>
    unsupported(`${what} in the regular expression ${pattern}`, 51091);
  if (refersToNothing(parsed))
    fail(51091, 'Regular expression is invalid: reference to non-existent subpattern');
  if (repeatsRepeats(root)) refuse('A repetition of what repeats, which may take forever,');
  if (variesBehind(root)) refuse('A lookbehind of no fixed length');
  if (prefersEmpty(root)) refuse('A repetition that prefers an empty match');
  const unset = unsetReference(parsed);
  if (unset !== undefined) refuse(`A reference to the group ${unset}, which may be unset,`);
  if (differ && someNode(root, ({ kind }) => kind === 'reference'))
    refuse('A reference beside a group that a repetition may leave out or match empty');
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

import { fail, unsupported } from '../../errors.ts';
import type { CharacterType, ClassPart } from './regex-syntax.ts';

/** What an escape means, and the number of its characters. */
type Escape = { used: number } & (
  | { code: number }
  | { type: CharacterType }
  | { boundary: 'b' | 'B' }
  | { reference: number | string }
);

/** Refuses a pattern that PCRE refuses. */
export const invalid = (reason: string): never =>
  fail(51091, `Regular expression is invalid: ${reason}`);

/** Refuses what PCRE has and JavaScript cannot express, or what PCRE itself refuses by another reason. */
export const notShared = (what: string): never =>
  unsupported(`${what} in a regular expression`, 51091);

const CONTROLS: Record<string, number> = { t: 9, n: 10, r: 13, f: 12, a: 7, e: 27 };

/** Reads the escape at `at` outside of a character class, after so many capturing groups. */
export function escapeAt(pattern: string, at: number, groups: number): Escape {
  const c = pattern[at + 1] ?? '';
  if (c === 'b' || c === 'B') return { boundary: c, used: 2 };
  if (c === 'k') {
    const name = /^\\k<(\w{1,32})>/.exec(pattern.slice(at, at + 40));
    if (!name) return notShared('\\k');
    return { reference: name[1] as string, used: name[0].length };
  }
  const digits = /^[1-9]\d*/.exec(pattern.slice(at + 1, at + 12))?.[0];
  if (digits && (Number(digits) < 10 || c >= '8' || Number(digits) <= groups)) {
    return { reference: Number(digits), used: digits.length + 1 };
  }
  return characterEscape(pattern, at);
}

/** Reads the escape at `at` of a character or a kind of characters. */
function characterEscape(pattern: string, at: number): Escape {
  const point = pattern.codePointAt(at + 1);
  if (point === undefined) return invalid('\\ at end of pattern');
  const c = String.fromCodePoint(point);
  if (isType(c)) return { type: c, used: 2 };
  if (Object.hasOwn(CONTROLS, c)) return { code: CONTROLS[c] as number, used: 2 };
  if (c === 'x') return hexadecimal(pattern, at);
  const octal = /^[0-7]{1,3}/.exec(pattern.slice(at + 1, at + 4))?.[0];
  if (octal) return { code: Number.parseInt(octal, 8), used: octal.length + 1 };
  if (/[A-Za-z]/.test(c)) return notShared(`\\${c}`);
  return { code: point, used: c.length + 1 };
}

const isType = (c: string): c is CharacterType => /^[dDwWsS]$/.test(c);

function hexadecimal(pattern: string, at: number): Escape {
  const braced = /^\\x\{([0-9a-fA-F]{1,8})\}/.exec(pattern.slice(at, at + 13));
  if (!braced && pattern[at + 2] === '{') return invalid('\\x{ is not followed by a code point }');
  const digits = braced?.[1] ?? /^[0-9a-fA-F]{0,2}/.exec(pattern.slice(at + 2, at + 4))?.[0] ?? '';
  const code = Number.parseInt(digits || '0', 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return invalid(`\\x{${digits}} is no code point`);
  return { code, used: braced?.[0].length ?? digits.length + 2 };
}

/** Reads the character class at `start`. */
export function classAt(
  pattern: string,
  start: number,
): { negated: boolean; parts: ClassPart[]; used: number } {
  const negated = pattern[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const parts: ClassPart[] = [];
  let at = first;
  while (pattern[at] !== ']' || at === first) {
    const low = memberAt(pattern, at);
    at += low.used;
    if (pattern[at] !== '-' || pattern[at + 1] === ']' || at + 1 >= pattern.length) {
      parts.push('type' in low ? low.type : { from: low.code, to: low.code });
      continue;
    }
    const high = memberAt(pattern, at + 1);
    at += 1 + high.used;
    if ('type' in low || 'type' in high || low.code > high.code)
      return invalid('invalid range in character class');
    parts.push({ from: low.code, to: high.code });
  }
  return { negated, parts, used: at + 1 - start };
}

type Member = { used: number } & ({ code: number } | { type: CharacterType });

function memberAt(pattern: string, at: number): Member {
  const code = pattern.codePointAt(at);
  if (code === undefined) return invalid('missing terminating ] for character class');
  if (/^\[[:.=]/.test(pattern.slice(at, at + 2))) notShared('A POSIX character class');
  if (pattern[at] !== '\\') return { code, used: code > 0xffff ? 2 : 1 };
  const next = pattern[at + 1] ?? '';
  if (next === 'b') return { code: 8, used: 2 };
  if (/[89]/.test(next)) return { code: next.charCodeAt(0), used: 2 };
  const member = characterEscape(pattern, at);
  return 'code' in member || 'type' in member ? member : invalid(`\\${next} in a character class`);
}

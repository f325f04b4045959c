import { LIMITS } from './limits.ts';

const GROUPS_AND_QUANTIFIERS = /\\.|\[(?:\\.|[^\]\\])*(?:\]|$)|(\((?:\?[:=!<])?|[*+?{]\??)/gsu;

export const PATTERN_TOO_LARGE = `it has more than ${LIMITS.patternParts} groups and quantifiers`;

/**
 * Tells whether a regular expression (ECMAScript) has too many parts. V8 compiles a regular expression by recursion at
 * its first use, which could fill the stack.
 */
export function isPatternTooLarge(pattern: string): boolean {
  let parts = 0;
  for (const [, part] of pattern.matchAll(GROUPS_AND_QUANTIFIERS)) {
    if (part !== undefined) parts += 1;
    if (parts > LIMITS.patternParts) return true;
  }
  return false;
}

import type { Faults } from './faults.ts';

/** Matches the characters that YAML 1.2 refuses everywhere: control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
export const NEVER_ALLOWED = /[\0-\x08\x0b\x0c\x0e-\x1f]|\p{Surrogate}/gu;

/** Matches the characters that YAML 1.2 allows in quoted strings only, because JSON has them there. */
export const ONLY_IN_QUOTES = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/g;

/** Reports each match at its place; `start` is the offset of the text in the file. Returns the number of matches. */
export function reportCharacters(
  text: string,
  pattern: RegExp,
  start: number,
  faults: Faults,
): number {
  let found = 0;
  for (const { 0: character, index } of text.matchAll(pattern)) {
    found += 1;
    faults.add(start + index, 'TEXT_INVALID', messageFor(character));
  }
  return found;
}

function messageFor(character: string): string {
  const code = character.charCodeAt(0);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (!character.isWellFormed()) {
    return `Half of a surrogate pair (${name}) isn't valid Unicode: leave it out.`;
  }
  if (code === 0) return 'A NUL character (U+0000) is allowed nowhere: leave it out.';
  const written = `\\u${code.toString(16).padStart(4, '0')}`;
  return `YAML doesn't allow the character ${name} here: leave it out, or write ${written} in double quotes.`;
}

import { Lexer } from 'yaml';
import type { Faults } from './faults.ts';

/** The lexeme that `yaml` emits directly before the lexeme of a scalar. */
const SCALAR = '\u001F';
/** Lexemes that `yaml` emits and that stand for no text. */
const MARKS: ReadonlySet<string> = new Set([SCALAR, '\u0002', '\u0018']);

/** White space of one UTF-16 code unit that looks like an indentation and is text for YAML. */
const BLANK = '\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u3000';
const BLANKS = new RegExp(`[${BLANK}]`, 'g');
const INDENTATION = new RegExp(`^[ -]*[${BLANK}][ ${BLANK}-]*`, 'gm');
/** Matches an item of a list or an entry of a map behind such white space, and an item with such white space in it. */
const ENTRY = new RegExp(
  `[${BLANK}][ ${BLANK}]*(?:- |- *$|["'\\w-]+:(?:\\s|$))|-[${BLANK}]+["'\\w-]+:(?:\\s|$)`,
  'my',
);

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u00a0', 'a no-break space'],
  ['\u202f', 'a narrow no-break space'],
  ['\u200b', 'a zero-width space'],
  ['\u3000', 'an ideographic space'],
]);

/**
 * Reports the first line that is indented with other white space than spaces, and returns the text with spaces in every
 * indentation, at the same length. Text with such white space in its values stays as it is.
 */
export function repairIndentation(text: string, faults: Faults): string {
  if (text.search(INDENTATION) === -1) return text;
  const entry = findIndentedEntry(text);
  if (entry === -1) return text;
  const at = entry + text.slice(entry).search(BLANKS);
  const character = text.charAt(at);
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES.get(character) ?? 'other white space';
  const message = `YAML is indented with spaces; there is ${name} (${code}) here.`;
  // The lines below may be indented wrongly as well, since such a character is often wider than a space.
  faults.addRepaired(at, message, { start: at, end: at }, true);
  return text.replace(INDENTATION, (indentation) => indentation.replace(BLANKS, ' '));
}

/** Finds the first scalar that is an indented entry in truth; -1 when there is none. Strings may hold such lines. */
function findIndentedEntry(text: string): number {
  let at = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (previous === SCALAR && isIndentedEntry(text, at)) return at;
    if (!MARKS.has(lexeme)) at += lexeme.length;
    previous = lexeme;
  }
  return -1;
}

function isIndentedEntry(text: string, at: number): boolean {
  ENTRY.lastIndex = at;
  if (!ENTRY.test(text)) return false;
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

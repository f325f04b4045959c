import { endOfString } from './json-string.ts';

/** What may come next in a text of JSON. */
type Expected = 'value' | 'key' | 'colon' | 'separator';

/** The escapes of a string. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
/** A control character, or a backslash that begins no escape where the escapes are taken out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters
const INVALID_IN_STRING = /[\u0000-\u001f\\]/;
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/** The line and the column, both from 1, of the first mistake of a text that is not JSON. The end of a text may be the mistake. */
export function placeOfMistake(text: string): { line: number; column: number } {
  const before = text.slice(0, findMistake(text));
  return {
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
  };
}

/** The offset of the first mistake; the length of the text where it ends too early. The time is linear in the length. */
function findMistake(text: string): number {
  const closers: string[] = [];
  let expected: Expected = 'value';
  let mayClose = false; // whether the last opened object or list is empty so far
  let at = endOf(SPACE, text, 0) ?? 0;
  while (at < text.length) {
    const sign = text.charAt(at);
    const closes = sign === closers.at(-1) && (mayClose || expected === 'separator');
    let end: number | null = at + 1;
    mayClose = false;
    if (closes) {
      closers.pop();
      expected = 'separator';
    } else if (expected === 'value' && (sign === '{' || sign === '[')) {
      closers.push(sign === '{' ? '}' : ']');
      expected = sign === '{' ? 'key' : 'value';
      mayClose = true;
    } else if (expected === 'value' || expected === 'key') {
      if (sign === '"') end = stringEnd(text, at);
      else end = expected === 'key' ? null : endOf(SCALAR, text, at);
      expected = expected === 'key' ? 'colon' : 'separator';
    } else if (expected === 'colon' && sign === ':') expected = 'value';
    else if (expected === 'separator' && sign === ',' && closers.length > 0) {
      expected = closers.at(-1) === '}' ? 'key' : 'value';
    } else return at;
    if (end === null) return at;
    at = endOf(SPACE, text, end) ?? end;
  }
  return text.length;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** The offset behind a string; null for one that is no string of JSON. */
function stringEnd(text: string, at: number): number | null {
  const end = endOfString(text, at);
  const inner = text.slice(at, end).replaceAll(ESCAPES, '');
  return end < text.length && !INVALID_IN_STRING.test(inner) ? end + 1 : null;
}

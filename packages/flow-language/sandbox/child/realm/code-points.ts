/** Texts and regular expressions by code points, so that no function cuts a character in halves. */

const SURROGATE = /[\ud800-\udfff]/;

/** Counts the code points of the text between two positions in UTF-16. */
export function countCodePoints(text: string, from: number, to: number): number {
  let count = to - from;
  for (let at = from + 1; at < to; at++) if (isInsidePair(text, at)) count--;
  return count;
}

/** Returns a function that cuts the text between two positions in code points; without an end, to the end of the text. */
export function codePointSlices(text: string): (from: number, to?: number) => string {
  if (!SURROGATE.test(text)) return (from, to) => text.slice(from, to);
  const points = Array.from(text);
  return (from, to) => points.slice(from, to).join('');
}

/** Refuses a match that cuts a character, which only an expression without the flag `u` finds. */
export function assertWholeMatch(text: string, start: number, end: number): void {
  if (!isInsidePair(text, start) && !isInsidePair(text, end)) return;
  throw {
    message:
      'the regular expression matches half of a character: write it so that it is valid with the flag u',
  };
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (!(code >= 0xdc00 && code < 0xe000)) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00;
}

/**
 * Compiles a regular expression with the flag `u`. An expression that is valid without the flag alone is written anew
 * first; where that does not help, it is compiled without the flag.
 */
export function compileRegExp(pattern: string, flags: string): RegExp {
  for (const written of [pattern, strictPattern(pattern)]) {
    try {
      return new RegExp(written, `${flags}u`);
    } catch {} // the next form is tried
  }
  return new RegExp(pattern, flags);
}

/** An escape, a class in a range that it cannot begin, a quantifier, or a bracket. */
const TOKEN = /\\[dDwWsS]-(?!\])|\\[\s\S]|\{\d+(?:,\d*)?\}|[[\]{}]/g;
const NEEDED_ESCAPE = /[\^$\\.*+?()[\]{}|/dDwWsSbBnrtfvcxukpP0-9]/;

/** Writes what is valid only without the flag `u` so that it is valid with the flag: `\_`, `[\w-.]`, a lone `{`, `}` or `]`. */
function strictPattern(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(TOKEN, (token) => {
    const [first = '', second = ''] = token;
    if (first === '\\' && token.length === 3) return isInClass ? `${first}${second}\\-` : token;
    if (first === '\\') {
      const isNeeded = NEEDED_ESCAPE.test(second) || (isInClass && second === '-');
      return isNeeded ? token : second;
    }
    if (isInClass ? first === ']' : first === '[') isInClass = !isInClass;
    else if (!isInClass && token.length === 1) return `\\${token}`;
    else if (isInClass && first === '[') return '\\[';
    return token;
  });
}

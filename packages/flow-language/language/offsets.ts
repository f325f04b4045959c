import type { ScalarNode } from './tree.ts';

/**
 * Returns the offset in the file of each character of a string's value, and of its end. Quotes, escapes, folding and
 * indentation are skipped; characters that cannot be found get the string's start. All offsets are found in one pass,
 * because a hostile string may have thousands of faults.
 */
export function offsetsOf(text: string, node: ScalarNode): Uint32Array {
  const value = String(node.value);
  const offsets = new Uint32Array(value.length + 1).fill(node.start);
  const quote = node.block ? '' : (/^["']/.exec(text.charAt(node.start))?.[0] ?? '');
  let at = node.block ? text.indexOf('\n', node.start) + 1 : node.start + quote.length;
  for (let i = 0; i < value.length; i += 1) {
    const found = find(text, value.charAt(i), at, node.end, quote === '"');
    if (!found) return offsets;
    offsets[i] = found.at;
    // One escape of 10 characters may be both halves of a surrogate pair.
    if (found.length === LONGEST_ESCAPE && isPair(value, i)) offsets[++i] = found.at;
    at = found.at + found.length;
  }
  offsets[value.length] = at;
  return offsets;
}

/** Matches the characters that YAML may have beside the characters of the value. */
const SKIPPED = /[\s\\'"]/;
/** Matches an escape in double quotes. A backslash before a line break makes no character of the value. */
const ESCAPE = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[^\r\n])/y;
const LONGEST_ESCAPE = '\\U0001F600'.length;

function find(
  text: string,
  wanted: string,
  from: number,
  end: number,
  hasEscapes: boolean,
): { at: number; length: number } | null {
  for (let at = from; at < end; at += 1) {
    const found = text.charAt(at);
    if (hasEscapes && found === '\\') {
      ESCAPE.lastIndex = at;
      const length = ESCAPE.exec(text)?.[0].length;
      if (length) return { at, length };
    }
    // Folding turns a line break into a space.
    if (found === wanted || (found === '\n' && wanted === ' ')) return { at, length: 1 };
    if (!SKIPPED.test(found)) return null;
  }
  return null;
}

const isPair = (value: string, i: number): boolean => (value.codePointAt(i) ?? 0) > 0xffff;

import type { ScalarNode } from './tree.ts';

/**
 * The offset in the file of each character of a string's value, and of its end. Quotes, escapes,
 * folding and indentation make the two differ; from where the way back is not clear on, it is the
 * string's start. One pass, because a hostile string may have thousands of faults.
 */
export function offsetsOf(text: string, node: ScalarNode): Uint32Array {
  const value = String(node.value);
  const offsets = new Uint32Array(value.length + 1).fill(node.start);
  let at = node.block ? text.indexOf('\n', node.start) + 1 : node.start;
  for (let i = 0; i < value.length; i += 1) {
    at = find(text, value.charAt(i), at, node.end);
    if (at === -1) return offsets;
    offsets[i] = at;
    at += 1;
  }
  offsets[value.length] = at;
  return offsets;
}

/** What YAML may put around a character that isn't part of the value. */
const SKIPPED = /[\s\\'"]/;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function find(text: string, wanted: string, from: number, end: number): number {
  const escaped = ESCAPES[wanted];
  for (let at = from; at < end; at += 1) {
    const found = text.charAt(at);
    // Folding turns a line break into a space.
    if (found === wanted || (found === '\n' && wanted === ' ')) return at;
    if (escaped && text.startsWith(escaped, at)) return at + 1;
    if (!SKIPPED.test(found)) return -1;
  }
  return -1;
}

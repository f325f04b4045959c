import type { Context } from '../context.ts';
import { hasOpenLiteral } from '../expression-end.ts';
import { inQuotes } from '../faults.ts';
import { isQuoted, type ScalarNode } from '../tree.ts';

/** The most characters behind a value that are searched for a comment; a later comment is not found. */
const LONGEST_COMMENT = 200;

/** Describes the `${` at an index of a string that is never closed, with advice for its author. */
export function describeUnterminated(node: ScalarNode, index: number, context: Context): string {
  const value = String(node.value);
  const behind = context.text.slice(node.end, node.end + LONGEST_COMMENT);
  const comment = isQuoted(node, context.text) ? null : /^[ \t]+#[^\r\n]*/.exec(behind);
  if (comment) {
    return `YAML takes what follows " #" for a comment: put the value in quotes, ${inQuotes(value + comment[0])}.`;
  }
  const opening = 'This "\u0024{" is never closed by "}"';
  if (value.includes('//', index)) {
    return `${opening}: "//" begins a regular expression; write ?? for a default, and /* ... */ for a comment.`;
  }
  const reason = hasOpenLiteral(value, index + 2)
    ? ': a string, a name in backticks, a comment or a regular expression in it has no end'
    : '';
  return `${opening}${reason}; write "\u0024\u0024{" for the characters themselves.`;
}

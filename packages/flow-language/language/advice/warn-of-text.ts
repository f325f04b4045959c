import type { Context, Scope } from '../context.ts';
import { isQuoted, type ScalarNode } from '../tree.ts';
import { findLikeness } from './text-like-expression.ts';

/** Warns of a text that its author has probably meant as an expression. */
export function warnOfText(node: ScalarNode, scope: Scope, context: Context): void {
  const found = findLikeness(String(node.value), scope, isQuoted(node, context.text));
  if (!found) return;
  const at = context.offsetIn(node, found.index);
  context.warn(
    at,
    Math.max(node.end, at + 1),
    'LOOKS_LIKE_EXPRESSION',
    `Without \${ }, ${found.advice}.`,
  );
}

/** Warns of a key that its author has probably meant as an expression. */
export function warnOfKey(key: string, keyStart: number, context: Context): void {
  if (!key.includes('$' + '{')) return;
  const message = `A key is never an expression: for a computed key write the whole map as one, such as \${ { $.name: 1 } }.`;
  context.warn(keyStart, keyStart + 1, 'LOOKS_LIKE_EXPRESSION', message);
}

import { isLargeInteger } from '../data-json.ts';
import type { Context } from './context.ts';
import { type AstNode, childrenOf } from './jsonata-ast.ts';
import type { ScalarNode } from './tree.ts';

const WHOLE_NUMBER = /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i;
/** A number of JSONata at the end of a text. */
const LAST_NUMBER = /\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;

const messageOf = (value: number): string =>
  `A number has 53 bits, so that this one would become ${BigInt(value)}: put it in quotes to keep its digits.`;

/** Refuses a whole number beyond ±(2^53−1), such as an id of another system. */
export function refuseLargeNumber({ value, start, end }: ScalarNode, context: Context): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return;
  if (!WHOLE_NUMBER.test(context.text.slice(start, end))) return;
  context.fault(start, 'NUMBER_NOT_EXACT', messageOf(value));
}

/** Finds a whole number beyond ±(2^53−1) in an expression; null for none. */
export function findLargeNumber(
  root: AstNode,
  source: string,
): { message: string; position: number } | null {
  if (!/\d{16}/.test(source)) return null;
  const rest = [root];
  for (let node = rest.pop(); node; node = rest.pop()) {
    rest.push(...childrenOf(node));
    const { type, value, position = 0 } = node;
    if (type !== 'number' || typeof value !== 'number' || Number.isSafeInteger(value)) continue;
    const written = LAST_NUMBER.exec(source.slice(0, position))?.[0] ?? '';
    if (isLargeInteger(written)) {
      return { message: messageOf(value), position: position - written.length };
    }
  }
  return null;
}

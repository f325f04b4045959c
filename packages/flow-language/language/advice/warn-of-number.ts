import type { Context } from '../context.ts';
import type { ScalarNode } from '../tree.ts';

const WHOLE_NUMBER = /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i;
/** The most characters of a number that is compared; a longer number has no warning. */
const LONGEST_NUMBER = 400;

/** Warns of a whole number whose digits do not fit into the 53 bits of a number, such as an id of another system. */
export function warnOfNumber({ value, start, end }: ScalarNode, context: Context): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return;
  const written = context.text.slice(start, end);
  if (written.length > LONGEST_NUMBER || !WHOLE_NUMBER.test(written)) return;
  const digits = BigInt(written.replace(/^[-+]/, ''));
  if (digits === BigInt(Math.abs(value))) return;
  const message = `A number has 53 bits, so that this one becomes ${BigInt(value)}: put it in quotes to keep its digits.`;
  context.warn(start, end, 'NUMBER_NOT_EXACT', message);
}

import type { Context } from './context.ts';
import { joinNames, quote } from './faults.ts';
import { didYouMean } from './nearest-name.ts';
import { wrongType } from './shape.ts';
import { type Node, type ScalarNode, stringOf } from './tree.ts';

/** Replaces a string with a fault. The plan of a file with faults is never returned. */
const NO_STRING = '';
/** Replaces a number with a fault. The plan of a file with faults is never returned. */
const NO_NUMBER = 0;

export function readString(node: Node, what: string, context: Context): string {
  const value = stringOf(node);
  if (value === null) wrongType(node, what, 'a string', context);
  return value ?? NO_STRING;
}

/** Reads a string that is never evaluated. A `${` in it is a fault. */
export function readPlainString(node: Node, what: string, context: Context): string {
  const value = readString(node, what, context);
  if (value.includes('${')) {
    context.fault(
      node,
      'EXPRESSION_NOT_ALLOWED',
      `${what} is fixed: no expression may stand here.`,
    );
  }
  return value;
}

export function readMatching(
  node: Node,
  what: string,
  pattern: RegExp,
  rule: string,
  context: Context,
): string {
  const value = readString(node, what, context);
  if (stringOf(node) !== null && !pattern.test(value)) {
    context.fault(node, 'INVALID_VALUE', `${what} must be ${rule}; this is ${quote(value)}.`);
  }
  return value;
}

export function readChoice<T extends string>(
  node: Node,
  what: string,
  choices: readonly T[],
  context: Context,
): T | undefined {
  const value = readString(node, what, context);
  const choice = choices.find((one) => one === value);
  if (choice === undefined && stringOf(node) !== null) {
    const hint = didYouMean(value, choices);
    const rule = `${what} must be one of ${joinNames(choices)}`;
    const message = `${rule}; ${hint}this is ${quote(value)}.`;
    context.fault(node, 'INVALID_VALUE', message);
  }
  return choice;
}

export function readBoolean(node: Node, what: string, context: Context): boolean {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  wrongType(node, what, 'true or false', context);
  return false;
}

/** Tells whether a value is the id of a resource: a positive whole number. */
export function isId(node: Node): node is ScalarNode & { value: number } {
  return (
    node.kind === 'scalar' &&
    typeof node.value === 'number' &&
    Number.isSafeInteger(node.value) &&
    node.value > 0
  );
}

/** Reads a whole number from `least` to `most`. */
export function readInteger(
  node: Node,
  what: string,
  least: number,
  most: number,
  context: Context,
): number {
  if (node.kind !== 'scalar' || typeof node.value !== 'number') {
    wrongType(node, what, 'a whole number', context);
    return NO_NUMBER;
  }
  if (!Number.isInteger(node.value) || node.value < least || node.value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
    context.fault(node, 'INVALID_VALUE', `${what} must be a whole number ${range}.`);
  }
  return node.value;
}

import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { isTakenVariable, VARIABLE_NAME } from './names.ts';
import { readString } from './scalars.ts';
import { type Node, stringOf } from './tree.ts';

/** Reads the name of a variable (`each`, `at`, `as`). The name `free` is allowed although it is reserved. */
export function readVariableName(
  node: Node,
  what: string,
  context: Context,
  free?: string,
): string {
  const name = readString(node, what, context);
  if (stringOf(node) === null) return name;
  if (!VARIABLE_NAME.test(name)) {
    const rule = 'a letter or "_", then letters, digits or "_", without "$"';
    context.fault(node, 'INVALID_NAME', `${what} must be ${rule}; this is ${quote(name)}.`);
  } else if (name !== free && isTakenVariable(name)) {
    const message = `${what} can't be ${quote(name)}: $${name} means something already.`;
    context.fault(node, 'RESERVED_NAME', message);
  }
  return name;
}

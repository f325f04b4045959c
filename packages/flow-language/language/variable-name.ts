import type { Context } from './context.ts';
import { quote } from './faults.ts';
import { isTakenVariable, VARIABLE_NAME } from './names.ts';
import { readString } from './scalars.ts';
import { type Node, stringOf } from './tree.ts';

/**
 * Reads the name of a variable (`each`, `at`, `as`). The name `free` is allowed although it is reserved. A name with `$`
 * is a fault, and is read as the name behind it.
 */
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
    const meant = name.slice(1);
    const isMeant = name.startsWith('$') && VARIABLE_NAME.test(meant);
    const hint = isMeant ? `write ${meant}; ` : '';
    context.fault(node, 'INVALID_NAME', `${what} must be ${rule}; ${hint}this is ${quote(name)}.`);
    if (isMeant) return meant;
  } else if (name !== free && isTakenVariable(name)) {
    const message = `${what} can't be ${quote(name)}: $${name} means something already.`;
    context.fault(node, 'RESERVED_NAME', message);
  }
  return name;
}

import { joinNames, quote } from '../faults.ts';
import { DIRECTIVES } from '../names.ts';
import { readString } from '../scalars.ts';
import { type Node, stringOf } from '../tree.ts';
import type { Place } from './place.ts';

/** Reads `then`: `continue`, `exit`, `end`, or the name of a task of the same list. */
export function readDirective(node: Node, place: Place): string {
  const target = readString(node, '"then"', place.context);
  const known: readonly string[] = DIRECTIVES;
  if (stringOf(node) !== null && !known.includes(target) && !place.siblings.has(target)) {
    const allowed = joinNames(DIRECTIVES, place.siblings);
    const message = `"then" names ${quote(target)}, which isn't in the same list; allowed: ${allowed}.`;
    place.context.fault(node, 'UNKNOWN_TARGET', message);
  }
  return target;
}

import { joinNames, quote } from '../faults.ts';
import { DIRECTIVES } from '../names.ts';
import { didYouMean } from '../nearest-name.ts';
import { readString } from '../scalars.ts';
import { type Node, stringOf } from '../tree.ts';
import type { Place } from './place.ts';

/** Reads `then`: `continue`, `exit`, `end`, or the name of a task of the same list. */
export function readDirective(node: Node, place: Place): string {
  const target = readString(node, '"then"', place.context);
  const known: readonly string[] = DIRECTIVES;
  if (stringOf(node) !== null && !known.includes(target) && !place.siblings.has(target)) {
    place.context.fault(node, 'UNKNOWN_TARGET', () => describeTarget(target, place));
  }
  return target;
}

/** The directives by the words that other languages have for the same. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ...['stop', 'return', 'done', 'finish', 'exit flow'].map((word) => [word, 'end'] as const),
  ...['break', 'leave'].map((word) => [word, 'exit'] as const),
  ['next', 'continue'],
]);

/** Describes an unknown target. It needs the names of all tasks, which are known when the faults are listed. */
function describeTarget(target: string, { siblings, context }: Place): string {
  const names = [...DIRECTIVES, ...siblings];
  const foreign = FOREIGN.get(target.toLowerCase());
  const reason = context.taskNames.has(target)
    ? 'which is a task of another list: "then" stays in its own list'
    : "which isn't in the same list";
  const hint = foreign === undefined ? didYouMean(target, names) : `did you mean "${foreign}"? `;
  return `"then" names ${quote(target)}, ${reason}; ${hint}allowed: ${joinNames(names)}.`;
}

import type { Scope } from './context.ts';
import { joinNames, quote } from './faults.ts';
import { BUILT_INS } from './names.ts';
import { nearestName } from './nearest-name.ts';

/** The advice for variables of other tools (n8n, the DSL with jq) and for names that are nearly JSONata's. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['eval', 'it is not available: results are never evaluated again'],
  ['json', 'write $ for the input of the task, or $steps.<task> for the output of another task'],
  ['node', 'write $steps.<task> for the output of another task'],
  ['items', 'write $ for the input of the task, or $steps.<task> for the output of another task'],
  [
    'output',
    'write $ in "output.as" and "export.as", or $steps.<task> for the output of another task',
  ],
  ['task', 'write $steps.<task> for the output of a task'],
  ['workflow', 'write $run, whose members are id, flowId, workspaceId, attempt and startedAt'],
  ['execution', 'write $run, whose members are id, flowId, workspaceId, attempt and startedAt'],
  ['vars', 'write $properties for the configuration store, or $context'],
  ['env', 'write $properties for the configuration store'],
  ['secrets', 'no secret is readable: use an auth credential, by call: apiDescription'],
  ['secret', 'no secret is readable: use an auth credential, by call: apiDescription'],
  ['credentials', 'no secret is readable: use an auth credential, by call: apiDescription'],
  ['today', 'write $now()'],
  ['date', 'write $now(), $toMillis(...) or $fromMillis(...)'],
  ['item', '"each" names it inside its loop only'],
  ['index', '"at" names it inside its loop only'],
  ['lower', 'write $lowercase'],
  ['toLower', 'write $lowercase'],
  ['toLowerCase', 'write $lowercase'],
  ['upper', 'write $uppercase'],
  ['toUpper', 'write $uppercase'],
  ['toUpperCase', 'write $uppercase'],
  ['size', 'write $count for a list, $length for a string'],
  ['len', 'write $count for a list, $length for a string'],
  ['toString', 'write $string'],
  ['str', 'write $string'],
  ['toJson', 'write $string'],
  ['stringify', 'write $string'],
  ['int', 'write $number or $floor'],
  ['toNumber', 'write $number'],
  ['parseInt', 'write $number'],
  ['unique', 'write $distinct'],
  ['concat', 'write & for strings, $append for lists'],
  ['isEmpty', 'write $count(...) = 0, or $not($exists(...))'],
  ['first', 'write [0] behind the list'],
  ['last', 'write [-1] behind the list'],
  ['find', 'write list[condition]'],
  ['slice', 'write list[[0..2]] for a list, $substring for a string'],
  ['includes', 'write $contains for a string, "value in list" for a list'],
  ['forEach', 'write $map'],
  ['flatMap', 'write list.(...)'],
  ['entries', 'write $each, $keys or $spread'],
  ['values', 'write object.*'],
  ['if', 'write condition ? value : other'],
]);

/** Describes an unknown variable or function for a message, with the name that is probably meant. */
export function describeUnknown(name: string, scope: Scope): string {
  const shown = `$${quote(name).slice(1, -1)}`;
  const instead = INSTEAD.get(name);
  if (instead !== undefined) return `${shown} is not known here: ${instead}.`;
  const nearest = nearestName(name, [...scope, ...BUILT_INS]);
  const hint = nearest === undefined ? '' : `did you mean $${nearest}? `;
  const names = joinNames([...scope].map((one) => `$${one}`));
  return `${shown} is not known here; ${hint}known are $, $$, ${names}, JSONata's functions and what the expression binds itself.`;
}

import type { SwitchTask } from '../../plan.ts';
import { quote } from '../faults.ts';
import { omitUndefined } from '../plan-parts.ts';
import { keys, readFields, readList, readNamed } from '../shape.ts';
import { readWholeExpression } from '../template.ts';
import type { Entry } from '../tree.ts';
import { readDirective } from './directive.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

type Case = SwitchTask['cases'][number];

const CASE_KEYS = keys({ required: 'then', optional: 'when' });

/** Chooses the first case that holds. The case without `when` is the default, at any place in the list. */
export const SWITCH: Kind = {
  keys: keys({ required: 'switch' }),
  hasForm: (node) => node.kind === 'list',
  read(fields, place) {
    const node = fields.get('switch');
    if (!node) return undefined;
    const entries = readList(node, '"switch"', place.context).flatMap(
      (item) => readNamed(item, 'A case of a switch', place.context) ?? [],
    );
    if (node.kind === 'list' && node.items.length === 0) {
      place.context.fault(node, 'INVALID_VALUE', '"switch" is empty; give it at least one case.');
    }
    const cases = entries.flatMap((entry) => readCase(entry, place) ?? []);
    checkTogether(entries, cases, place);
    return { kind: 'switch', cases };
  },
};

function readCase({ key, value }: Entry, place: Place): Case | undefined {
  const fields = readFields(value, `the case ${quote(key)}`, CASE_KEYS, place.context);
  if (!fields) return undefined;
  const { scope, context } = place;
  return omitUndefined({
    name: key,
    when: fields.read('when', (node) => readWholeExpression(node, '"when"', scope, context)),
    // biome-ignore lint/suspicious/noThenProperty: the DSL's keyword; a plan is never awaited
    then: fields.read('then', (node) => readDirective(node, place)) ?? '',
  });
}

function checkTogether(entries: readonly Entry[], cases: readonly Case[], place: Place): void {
  const names = new Set<string>();
  for (const { key, keyStart } of entries) {
    if (names.has(key)) {
      const message = `The case ${quote(key)} is given twice in one switch.`;
      place.context.fault(keyStart, 'DUPLICATE_NAME', message);
    }
    names.add(key);
  }
  const [, second] = cases.filter((one) => one.when === undefined).map((one) => one.name);
  const entry = entries.findLast((one) => one.key === second);
  if (entry) {
    const message = 'A switch has at most one case without "when", its default; this is another.';
    place.context.fault(entry.keyStart, 'SECOND_DEFAULT', message);
  }
}

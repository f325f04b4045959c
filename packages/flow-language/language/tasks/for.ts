import { withVariables } from '../context.ts';
import { type Fields, keys, readFields } from '../shape.ts';
import { readWholeExpression } from '../template.ts';
import { readVariableName } from '../variable-name.ts';
import { readTasks } from './list.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

const FOR_KEYS = keys({ required: 'in', optional: 'each at' });

/** A loop over a list. `while` and `do` may read the loop's variables; `in` may not. */
export const FOR: Kind = {
  keys: keys({ required: 'for do', optional: 'while' }),
  read(fields, place) {
    const { scope, context } = place;
    checkParallel(fields, place);
    const head = fields.read('for', (node) => readFields(node, '"for"', FOR_KEYS, context));
    if (!head) return undefined;
    const each = head.read('each', (node) => readVariableName(node, '"each"', context)) ?? 'item';
    const at = head.read('at', (node) => readVariableName(node, '"at"', context)) ?? 'index';
    if (each === at) {
      const message = `"each" and "at" are both "${each}"; they need two names.`;
      context.fault(head.get('at') ?? head.get('each') ?? head.node, 'DUPLICATE_NAME', message);
    }
    const within = withVariables(scope, each, at);
    return {
      kind: 'for',
      each,
      at,
      in: head.read('in', (node) => readWholeExpression(node, '"in"', scope, context)) ?? {
        source: '',
        variables: [],
      },
      while: fields.read('while', (node) => readWholeExpression(node, '"while"', within, context)),
      tasks: readRounds(fields, { ...place, scope: within }),
    };
  },
};

function readRounds(fields: Fields, place: Place) {
  const { path, level, scope, context } = place;
  const tasks = fields.read('do', (node) =>
    readTasks(node, { what: '"do"', path: `${path}/do`, level: level + 1, scope, context }),
  );
  return tasks ?? [];
}

/** Refuses `metadata.parallel`, this service's addition to the DSL, which is not supported yet. */
function checkParallel(fields: Fields, { context }: Place): void {
  const metadata = fields.get('metadata');
  const parallel = metadata?.kind === 'map' ? metadata.entries.get('parallel') : undefined;
  if (parallel) {
    const message = 'Rounds side by side ("metadata.parallel") are not supported yet.';
    context.fault(parallel.keyStart, 'NOT_YET_SUPPORTED', message);
  }
}

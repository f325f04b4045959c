import { withVariables } from '../context.ts';
import { LIMITS } from '../limits.ts';
import { readInteger } from '../scalars.ts';
import { type Fields, hasKey, keys, readFields } from '../shape.ts';
import { readWholeExpression } from '../template.ts';
import { readVariableName } from '../variable-name.ts';
import { readTasks } from './list.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

const FOR_KEYS = keys({ required: 'in', optional: 'each at' });
const FOR_FORM = "{ each: item, in: '\u0024{ ... }' }";

/** A loop over a list. `while` and `do` may read the loop's variables; `in` may not. */
export const FOR: Kind = {
  keys: keys({ required: 'for do', optional: 'while' }),
  hasForm: (node) => hasKey(node, 'in'),
  members: { for: { keys: FOR_KEYS, scalar: 'each' } },
  read(fields, place) {
    const { scope, context } = place;
    const head = fields.read('for', (node) =>
      readFields(node, '"for"', FOR_KEYS, context, { form: FOR_FORM }),
    );
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
      parallel: readParallel(fields, place),
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

/** Reads `metadata.parallel`, this service's addition to the DSL: the largest number of rounds at once. */
function readParallel(fields: Fields, { context }: Place): number | undefined {
  const metadata = fields.get('metadata');
  const parallel = metadata?.kind === 'map' ? metadata.entries.get('parallel') : undefined;
  if (!parallel) return undefined;
  if (fields.get('while')) {
    const message =
      '"while" can\'t stand beside "metadata.parallel": the rounds begin side by side, so no round decides whether the next begins; leave one of the two out.';
    context.fault(fields.keyStart('while'), 'INVALID_VALUE', message);
  }
  return readInteger(parallel.value, '"metadata.parallel"', 1, LIMITS.parallelRounds, context);
}

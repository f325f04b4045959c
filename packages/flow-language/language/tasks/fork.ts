import type { Task } from '../../plan.ts';
import { readBoolean } from '../scalars.ts';
import { hasKey, keys, readFields } from '../shape.ts';
import type { Node } from '../tree.ts';
import { readBranches } from './list.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

const FORK_KEYS = keys({ required: 'branches', optional: 'compete' });

const FORK_ADVICE = { form: '{ branches: [...] }' };

/** Branches side by side (DSL 1.0.0, fork). Their number is bounded by the number of tasks of a file. */
export const FORK: Kind = {
  keys: keys({ required: 'fork' }),
  hasForm: (node) => hasKey(node, 'branches'),
  read(fields, place) {
    const { context } = place;
    const fork = fields.read('fork', (node) =>
      readFields(node, '"fork"', FORK_KEYS, context, FORK_ADVICE),
    );
    if (!fork) return undefined;
    const compete = fork.read('compete', (node) => readBoolean(node, '"fork.compete"', context));
    return {
      kind: 'fork',
      branches: fork.read('branches', (node) => readAll(node, place)) ?? [],
      compete: compete ?? false,
    };
  },
};

function readAll(node: Node, { path, level, scope, context }: Place): Task[] {
  if (node.kind === 'list' && node.items.length === 0) {
    const message = '"fork.branches" is empty; give it at least one branch, a task with a name.';
    context.fault(node, 'INVALID_VALUE', message);
  }
  const place = { what: '"fork.branches"', path: `${path}/fork/branches`, scope, context };
  return readBranches(node, { ...place, level: level + 1 });
}

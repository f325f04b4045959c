import { keys } from '../shape.ts';
import { readTasks } from './list.ts';
import type { Kind } from './task.ts';

/** A sequence of tasks. */
export const DO: Kind = {
  keys: keys({ required: 'do' }),
  hasForm: (node) => node.kind === 'list',
  // A loop has these under "for", beside its "do".
  members: { for: { keys: keys({ optional: 'each in at' }) } },
  read: (fields, place) => ({
    kind: 'do',
    tasks:
      fields.read('do', (node) =>
        readTasks(node, {
          what: '"do"',
          path: `${place.path}/do`,
          level: place.level + 1,
          scope: place.scope,
          context: place.context,
        }),
      ) ?? [],
  }),
};

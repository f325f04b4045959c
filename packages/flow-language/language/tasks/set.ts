import { keys, readMap } from '../shape.ts';
import { readTemplate } from '../template.ts';
import type { Kind } from './task.ts';

/** Its members become the task's output; the DSL wants at least one. */
export const SET: Kind = {
  keys: keys({ required: 'set' }),
  read(fields, { scope, context }) {
    const node = fields.get('set');
    const map = node && readMap(node, '"set"', context);
    if (!map) return undefined;
    if (map.entries.size === 0) {
      context.fault(map, 'INVALID_VALUE', '"set" is empty; give it at least one member.');
    }
    return { kind: 'set', value: readTemplate(map, scope, context) };
  },
};

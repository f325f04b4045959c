import { keys, readMap } from '../shape.ts';
import { readTemplate } from '../template.ts';
import type { Kind } from './task.ts';

/** Sets the task's output to a map, which must have at least one member. */
export const SET: Kind = {
  keys: keys({ required: 'set' }),
  hasForm: (node) => node.kind === 'map',
  read(fields, { scope, context }) {
    const node = fields.get('set');
    const map = node && readMap(node, '"set"', context, '{ name: value }');
    if (!map) return undefined;
    if (map.entries.size === 0) {
      context.fault(map, 'INVALID_VALUE', '"set" is empty; give it at least one member.');
    }
    return { kind: 'set', value: readTemplate(map, scope, context) };
  },
};

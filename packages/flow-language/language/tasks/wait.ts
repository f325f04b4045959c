import { readDuration } from '../duration.ts';
import { keys } from '../shape.ts';
import { stringOf } from '../tree.ts';
import type { Kind } from './task.ts';

export const WAIT: Kind = {
  keys: keys({ required: 'wait' }),
  hasForm: (node) => node.kind === 'map' || stringOf(node) !== null,
  read(fields, { context }) {
    const durationMs = fields.read('wait', (node) => readDuration(node, '"wait"', context));
    return { kind: 'wait', durationMs: durationMs ?? 0 };
  },
};

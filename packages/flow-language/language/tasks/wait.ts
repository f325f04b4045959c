import { readDuration } from '../duration.ts';
import { keys } from '../shape.ts';
import type { Kind } from './task.ts';

export const WAIT: Kind = {
  keys: keys({ required: 'wait' }),
  read(fields, { context }) {
    const durationMs = fields.read('wait', (node) => readDuration(node, '"wait"', context));
    return { kind: 'wait', durationMs: durationMs ?? 0 };
  },
};

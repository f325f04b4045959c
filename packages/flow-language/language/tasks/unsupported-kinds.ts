import { type Fields, type Keys, keys, readFields } from '../shape.ts';
import { readTasks } from './list.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

/**
 * Makes a kind of task that this profile describes and does not support yet. The task's content is checked: content
 * that stays refused gets its own fault and not `NOT_YET_SUPPORTED`.
 */
function makeUnsupportedKind(
  keyword: string,
  inner: Keys,
  check: (within: Fields, place: Place) => boolean = () => true,
  beside: Keys = new Map(),
): Kind {
  return {
    keys: new Map([...keys({ required: keyword }), ...beside]),
    read(fields, place) {
      const { context } = place;
      const within = fields.read(keyword, (node) =>
        readFields(node, `"${keyword}"`, inner, context),
      );
      const offered = within && within.keys().length === within.node.entries.size;
      if (offered && check(within, place)) {
        const message = `"${keyword}" is not supported yet.`;
        context.fault(fields.keyStart(keyword), 'NOT_YET_SUPPORTED', message);
      }
      return undefined;
    },
  };
}

/** Reads the tasks of the branches, because other tasks may read the steps of these tasks. */
function checkBranches(fork: Fields, { path, level, scope, context }: Place): boolean {
  const place = { what: '"fork.branches"', path: `${path}/fork/branches`, scope, context };
  fork.read('branches', (node) => readTasks(node, { ...place, level: level + 1 }));
  return true;
}

const TO_KEYS = keys({ optional: 'one', refused: 'any all until' });

function checkTarget(listen: Fields, { context }: Place): boolean {
  const to = listen.read('to', (node) => readFields(node, '"listen.to"', TO_KEYS, context));
  if (to?.node.entries.size === 0) {
    context.fault(to.node, 'MISSING_KEY', '"one" is missing in "listen.to".');
  }
  return to?.get('one') !== undefined;
}

export const FORK = makeUnsupportedKind(
  'fork',
  keys({ required: 'branches', optional: 'compete' }),
  checkBranches,
);

export const RUN = makeUnsupportedKind(
  'run',
  keys({ optional: 'workflow', refused: 'shell script container' }),
);

export const LISTEN = makeUnsupportedKind(
  'listen',
  keys({ required: 'to' }),
  checkTarget,
  keys({ refused: 'foreach' }),
);

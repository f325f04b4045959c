import type { Task } from '../../plan.ts';
import { joinNames, quote } from '../faults.ts';
import { omitUndefined } from '../plan-parts.ts';
import { type Fields, type Keys, keys, readFields, readMap } from '../shape.ts';
import type { Entry } from '../tree.ts';
import { BASE_KEYS, readBase } from './base.ts';
import { CALL } from './call.ts';
import { DO } from './do.ts';
import { FOR } from './for.ts';
import type { BodyReader, Place } from './place.ts';
import { RAISE } from './raise.ts';
import { SET } from './set.ts';
import { SWITCH } from './switch.ts';
import { TRY } from './try.ts';
import { FORK, LISTEN, RUN } from './unsupported-kinds.ts';
import { WAIT } from './wait.ts';

/** A kind of task: its keywords beside the keywords of every task, and the reader of its fields. */
export interface Kind {
  keys: Keys;
  read: BodyReader;
}

/** The kinds of tasks by their keyword. A `do` beside `for` belongs to the loop. */
const KINDS: Readonly<Record<string, Kind>> = {
  call: CALL,
  set: SET,
  switch: SWITCH,
  for: FOR,
  fork: FORK,
  try: TRY,
  raise: RAISE,
  wait: WAIT,
  run: RUN,
  listen: LISTEN,
  emit: { keys: keys({ refused: 'emit' }), read: () => undefined },
  do: DO,
};

/** Reads one task. Returns undefined when a fault keeps the task from being planned. */
export function readTask({ key, value }: Entry, place: Place): Task | undefined {
  const { context } = place;
  const map = readMap(value, `The task ${quote(key)}`, context);
  if (!map) return undefined;
  const kinds = Object.keys(KINDS).filter((kind) => map.entries.has(kind));
  const [kind, second] = map.entries.has('for') ? kinds.filter((one) => one !== 'do') : kinds;
  if (kind === undefined) {
    const message = `This task has no keyword that says what it does; one of ${joinNames(offered())}.`;
    context.fault(map, 'TASK_KIND_MISSING', message);
  } else if (second !== undefined) {
    const message = `A task does one thing: this one has "${kind}" and "${second}".`;
    context.fault(map.entries.get(second)?.keyStart ?? map, 'TASK_KIND_AMBIGUOUS', message);
    return undefined;
  }
  const chosen = kind === undefined ? undefined : KINDS[kind];
  const what = `the task ${quote(key)}`;
  const fields = readFields(map, what, new Map([...(chosen?.keys ?? []), ...BASE_KEYS]), context);
  return fields && plan(fields, chosen, place);
}

function plan(fields: Fields, kind: Kind | undefined, place: Place): Task | undefined {
  const base = readBase(fields, place);
  const body = kind?.read(fields, place);
  return body && omitUndefined({ ...base, ...body });
}

function offered(): string[] {
  return Object.keys(KINDS).filter((kind) => KINDS[kind]?.keys.get(kind) !== 'refused');
}

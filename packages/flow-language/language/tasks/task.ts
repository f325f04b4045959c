import type { Task } from '../../plan.ts';
import { joinNames, quote } from '../faults.ts';
import { keywordFor } from '../foreign-words.ts';
import { didYouMean, nearestName } from '../nearest-name.ts';
import { omitUndefined } from '../plan-parts.ts';
import { type Fields, type Keys, keys, type Members, readFields, readMap } from '../shape.ts';
import type { Entry, MapNode, Node } from '../tree.ts';
import { BASE_KEYS, readBase } from './base.ts';
import { CALL } from './call.ts';
import { DO } from './do.ts';
import { FOR } from './for.ts';
import { FORK } from './fork.ts';
import { LISTEN } from './listen.ts';
import type { BodyReader, Place } from './place.ts';
import { RAISE } from './raise.ts';
import { RUN } from './run.ts';
import { SET } from './set.ts';
import { SWITCH } from './switch.ts';
import { TRY } from './try.ts';
import { WAIT } from './wait.ts';

/** A kind of task: its keywords beside the keywords of every task, and the reader of its fields. */
export interface Kind {
  keys: Keys;
  /** Tells whether a value has the form of the kind's keyword. Only then a misspelt keyword is read as the kind's. */
  hasForm: (node: Node) => boolean;
  /** The members that belong under a keyword of the kind. */
  members?: Members;
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
  emit: { keys: keys({ refused: 'emit' }), hasForm: () => false, read: () => undefined },
  do: DO,
};

/** Reads one task. Returns undefined when a fault keeps the task from being planned. */
export function readTask({ key, value }: Entry, place: Place): Task | undefined {
  const { context } = place;
  const map = readMap(value, `The task ${quote(key)}`, context);
  if (!map) return undefined;
  const { kind, second } = kindOf(map);
  if (kind === undefined) reportNoKind(map, place);
  if (second !== undefined) {
    const message = `A task does one thing: this one has "${kind}" and "${second}".`;
    context.fault(map.entries.get(second)?.keyStart ?? map, 'TASK_KIND_AMBIGUOUS', message);
  }
  const chosen = kind === undefined ? undefined : KINDS[kind];
  // Each of the left out keywords has its fault already.
  const isLeftOut = (name: string) =>
    chosen
      ? name !== kind && Object.hasOwn(KINDS, name) && !chosen.keys.has(name)
      : !BASE_KEYS.has(name);
  const fields = readFields(
    leaveOut(map, isLeftOut),
    `the task ${quote(key)}`,
    new Map([...(chosen?.keys ?? []), ...BASE_KEYS]),
    context,
    { members: chosen?.members ?? {}, instead: adviseKey },
  );
  return fields && plan(fields, chosen, place);
}

/** Finds the kind of a task, also by a misspelt keyword, which `readFields` reports; and a second kind. */
function kindOf(map: MapNode): { kind: string | undefined; second?: string | undefined } {
  const kinds = Object.keys(KINDS).filter((kind) => map.entries.has(kind));
  const [kind, second] = map.entries.has('for') ? kinds.filter((one) => one !== 'do') : kinds;
  if (kind === undefined) return { kind: findMisspeltKind(map, offered()) };
  // A `do` may belong to a misspelt `for`.
  if (kind === 'do') return { kind: findMisspeltKind(map, ['for']) ?? kind, second };
  return { kind, second };
}

/** Finds the kind whose keyword is misspelt, and has a value of its form. `readFields` reports the keyword. */
function findMisspeltKind(map: MapNode, kinds: readonly string[]): string | undefined {
  for (const { key, value } of map.entries.values()) {
    const kind = BASE_KEYS.has(key) || kinds.includes(key) ? undefined : nearestName(key, kinds);
    if (kind !== undefined && KINDS[kind]?.hasForm(value)) return kind;
  }
  return undefined;
}

/** Reports a task without a kind, once: at its first unknown keyword, or at the task. */
function reportNoKind(map: MapNode, { name, context }: Place): void {
  const kinds = offered();
  const rule = `one of ${joinNames(kinds)}`;
  const unknown = [...map.entries.values()].filter(({ key }) => !BASE_KEYS.has(key));
  const foreign = unknown.find(({ key }) => keywordFor(key, kinds) !== undefined);
  const misspelt = unknown.find(({ key }) => nearestName(key, kinds) !== undefined);
  const entry = foreign ?? misspelt ?? unknown[0];
  if (entry) {
    const hint = foreign
      ? `here it is "${keywordFor(foreign.key, kinds)}"; `
      : didYouMean(entry.key, kinds);
    const message = `Unknown keyword ${quote(entry.key)} in the task ${quote(name)}; ${hint}a task has ${rule}.`;
    context.fault(entry.keyStart, 'UNKNOWN_KEY', message);
  } else {
    const message = `This task has no keyword that says what it does; ${rule}.`;
    context.fault(map, 'TASK_KIND_MISSING', message);
  }
}

/** Returns the advice for a key of a task that belongs into another kind of task. */
function adviseKey({ key }: Entry): string | undefined {
  if (key === 'retry' || key === 'catch') {
    return 'put the task into "try: [...]" with "catch: { retry: ... }" beside it';
  }
  if (keywordFor(key, ['for']) === undefined) return undefined;
  return `a loop is "for: { each: item, in: '\${ ... }' }" with "do" beside it`;
}

function leaveOut(map: MapNode, isLeftOut: (key: string) => boolean): MapNode {
  const entries = [...map.entries].filter(([key]) => !isLeftOut(key));
  return entries.length === map.entries.size ? map : { ...map, entries: new Map(entries) };
}

function plan(fields: Fields, kind: Kind | undefined, place: Place): Task | undefined {
  const base = readBase(fields, place);
  const body = kind?.read(fields, place);
  return body && omitUndefined({ ...base, ...body });
}

function offered(): string[] {
  return Object.keys(KINDS).filter((kind) => KINDS[kind]?.keys.get(kind) !== 'refused');
}

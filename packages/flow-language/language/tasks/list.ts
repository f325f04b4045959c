import type { Task } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import { quote } from '../faults.ts';
import { LIMITS } from '../limits.ts';
import { DIRECTIVES, TASK_NAME, TASK_NAME_RULE } from '../names.ts';
import { readList, readNamed } from '../shape.ts';
import type { Entry, Node } from '../tree.ts';
import { readTask } from './task.ts';

/** The place of a list of tasks. */
export interface ListPlace {
  /** The name of the list in messages. */
  what: string;
  /** JSON pointer of the list in the file. */
  path: string;
  /** The level of the list's tasks. 1 is the top list. */
  level: number;
  scope: Scope;
  context: Context;
}

/** An item of a list of tasks, with its place in the list. */
interface Item {
  entry: Entry;
  index: number;
}

/** Reads a list of tasks, such as `do` and `try`. */
export function readTasks(node: Node, place: ListPlace): Task[] {
  const items = readItems(node, place);
  const siblings = new Set(items.map(({ entry }) => entry.key));
  return items.flatMap((item) => readItem(item, siblings, place) ?? []);
}

/** Reads the branches of a fork. Each branch is a list of its own, and its task has no sibling. */
export function readBranches(node: Node, place: ListPlace): Task[] {
  return readItems(node, place).flatMap(
    (item) => readItem(item, new Set([item.entry.key]), place) ?? [],
  );
}

function readItems(node: Node, { what, level, context }: ListPlace): Item[] {
  const items = readList(node, what, context).flatMap((item, index) => {
    const entry = readNamed(item, 'A task', context);
    return entry ? [{ entry, index }] : [];
  });
  if (level <= LIMITS.taskNesting || items.length === 0) return items;
  const message = `Tasks are nested more than ${LIMITS.taskNesting} levels deep here.`;
  context.fault(node, 'TASKS_TOO_DEEP', message);
  return [];
}

function readItem(
  { entry, index }: Item,
  siblings: ReadonlySet<string>,
  { path, level, scope, context }: ListPlace,
): Task | undefined {
  checkName(entry, context);
  return readTask(entry, {
    name: entry.key,
    path: `${path}/${index}/${pointerToken(entry.key)}`,
    level,
    siblings,
    scope,
    context,
  });
}

function checkName({ key, keyStart }: Entry, context: Context): void {
  context.taskCount += 1;
  if (context.taskCount === LIMITS.tasks + 1) {
    const message = `The file has more than ${LIMITS.tasks} tasks, from here on.`;
    context.fault(keyStart, 'TOO_MANY_TASKS', message);
  }
  if (DIRECTIVES.some((directive) => directive === key)) {
    const message = `A task can't be named ${quote(key)}: "then" means something else by it.`;
    context.fault(keyStart, 'RESERVED_NAME', message);
  } else if (!TASK_NAME.test(key)) {
    const message = `The task name ${quote(key)} isn't allowed: it is ${TASK_NAME_RULE}.`;
    context.fault(keyStart, 'INVALID_NAME', message);
  } else if (context.taskNames.has(key)) {
    const message = `The task name ${quote(key)} is used twice; names are unique in the whole file.`;
    context.fault(keyStart, 'DUPLICATE_NAME', message);
  }
  context.taskNames.add(key);
}

/** Escapes a key for a JSON pointer (RFC 6901). */
function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

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

/** Reads a list of tasks, such as `do` and `try`. */
export function readTasks(node: Node, place: ListPlace): Task[] {
  const { context } = place;
  const items = readList(node, place.what, context).map((item) =>
    readNamed(item, 'A task', context),
  );
  const siblings = new Set(items.flatMap((item) => (item ? [item.key] : [])));
  if (place.level > LIMITS.taskNesting && items.length > 0) {
    const message = `Tasks are nested more than ${LIMITS.taskNesting} levels deep here.`;
    context.fault(node, 'TASKS_TOO_DEEP', message);
    return [];
  }
  return items.flatMap((item, i) => {
    if (!item) return [];
    checkName(item, context);
    const task = readTask(item, {
      name: item.key,
      path: `${place.path}/${i}/${pointerToken(item.key)}`,
      level: place.level,
      siblings,
      scope: place.scope,
      context,
    });
    return task ? [task] : [];
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

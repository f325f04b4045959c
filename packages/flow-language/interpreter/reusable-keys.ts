import type { Plan, Task } from '../plan.ts';

/** Matches the key of a journal entry: the path of a task, then iteration, visit and attempt, then a word after `#`. */
const TASK_KEY = /^(.*)\/[\d.]*\/\d+\/\d+(?:#.*)?$/s;

/** Returns the path of the task whose journal entry has the key; empty for an entry of the flow itself. */
export const taskPathOf = (key: string): string => TASK_KEY.exec(key)?.[1] ?? '';

/**
 * Tells whether a run of the plan `now` may reuse a journal entry with the key, which a run of the plan `before` wrote:
 * the task has the same place, name and definition, and so have the tasks around it.
 */
export function reusableKeys(before: Plan, now: Plan): (key: string) => boolean {
  const earlier = definitionsOf(before);
  const current = definitionsOf(now);
  return (key) => {
    const path = taskPathOf(key);
    return earlier.get(path) !== undefined && earlier.get(path) === current.get(path);
  };
}

/** The definition of each task by its path, with the definitions of the tasks around it; that of the flow has no path. */
function definitionsOf({ tasks, inputFrom }: Plan): ReadonlyMap<string, string> {
  const flow = JSON.stringify([inputFrom ?? null]);
  const definitions = new Map([['', flow]]);
  const add = (task: Task, around: string): void => {
    const definition = `${around}\n${JSON.stringify(ownDefinition(task))}`;
    definitions.set(task.path, definition);
    for (const inner of innerTasks(task)) add(inner, definition);
  };
  for (const task of tasks) add(task, flow);
  return definitions;
}

/** The definition of a task without the tasks within. */
function ownDefinition(task: Task): unknown {
  switch (task.kind) {
    case 'do':
    case 'for':
      return { ...task, tasks: null };
    case 'fork':
      return { ...task, branches: task.branches.map(({ name }) => name) };
    case 'try':
      return {
        ...task,
        tasks: null,
        catch: { ...task.catch, tasks: task.catch.tasks !== undefined },
      };
    default:
      return task;
  }
}

function innerTasks(task: Task): readonly Task[] {
  switch (task.kind) {
    case 'do':
    case 'for':
      return task.tasks;
    case 'fork':
      return task.branches;
    case 'try':
      return [...task.tasks, ...(task.catch.tasks ?? [])];
    default:
      return [];
  }
}

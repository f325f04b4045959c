import type { Task } from '../plan.ts';

/** Returns the lists of tasks directly inside a task. */
export function listsIn(task: Task): readonly (readonly Task[])[] {
  switch (task.kind) {
    case 'do':
    case 'for':
      return [task.tasks];
    case 'try':
      return task.catch.tasks ? [task.tasks, task.catch.tasks] : [task.tasks];
    case 'fork':
      return task.branches.map((branch) => [branch]);
    default:
      return [];
  }
}

const known = new WeakMap<readonly Task[], readonly string[]>();

/** Returns the names of all tasks of a list, tasks inside tasks included. */
export function namesWithin(tasks: readonly Task[]): readonly string[] {
  let names = known.get(tasks);
  if (names === undefined) {
    names = tasks.flatMap((task) => [task.name, ...listsIn(task).flatMap(namesWithin)]);
    known.set(tasks, names);
  }
  return names;
}

/** The part of a run's tasks that one branch executes, as the keys of the journal name it. */

export interface TaskScope {
  /** The beginning of the paths of the tasks. */
  path: string;
  /** The iteration of the tasks, or of the loop around them. */
  iteration: string;
}

/** The place of a branch beside the other branches of a task. */
export interface BranchPlace {
  /** The tasks of the branch. */
  scope: TaskScope;
  /** The tasks of all branches. */
  siblings: TaskScope;
  /** The beginning of the keys under which the beginnings of rounds are journalled. */
  rounds: string;
}

/** Whether a key of the journal is of any branch of the task. */
export const isOfBranches = (
  { siblings, rounds }: Pick<BranchPlace, 'siblings' | 'rounds'>,
  key: string,
): boolean => contains(siblings, key) || key.startsWith(rounds);

/** Whether a key of the journal belongs to a task of the scope. */
export const contains = (scope: TaskScope, key: string): boolean =>
  containsTask(scope, key, iterationOf(key));

/** Whether a task, in an iteration, belongs to the scope. */
export function containsTask(scope: TaskScope, path: string, iteration: string): boolean {
  if (!path.startsWith(scope.path)) return false;
  if (scope.iteration === '' || iteration === scope.iteration) return true;
  return iteration.startsWith(`${scope.iteration}.`);
}

/**
 * The iteration in a key `<path>/<iteration>/<visit>/<attempt>`, which may end with `#` and a word. A replay asks for the
 * iterations of many keys, so that no list of the parts of a key is made.
 */
function iterationOf(key: string): string {
  const mark = key.lastIndexOf('#');
  const attempt = key.lastIndexOf('/', (mark < 0 ? key.length : mark) - 1);
  const visit = key.lastIndexOf('/', attempt - 1);
  return visit < 0 ? '' : key.slice(key.lastIndexOf('/', visit - 1) + 1, visit);
}

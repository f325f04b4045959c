import type { ForkTask } from '../../plan.ts';
import { compositeOf, type Execution, type Result } from '../execution.ts';
import { beginParallel, executeParallel } from '../parallel.ts';

/** Executes the branches of a fork side by side. The output is the list of their outputs, or the output of the branch that wins. */
export function fork(execution: Execution<ForkTask>): Promise<Result> {
  const { task, frame } = execution;
  const { iteration } = frame;
  const state = compositeOf(execution, 'parallel', () => beginParallel(execution, []));
  const branchPath = (index: number) => `${task.path}/fork/branches/${index}/`;
  const scope = { path: `${task.path}/fork/branches/`, iteration };
  return executeParallel(execution, state, {
    count: task.branches.length,
    concurrency: task.branches.length,
    isRace: task.compete,
    areRounds: false,
    scope,
    scopeOf: (index) => ({ path: branchPath(index), iteration }),
    tasksOf: (index) => task.branches.slice(index, index + 1),
    frameOf: () => frame,
    clearedSteps: [],
  });
}

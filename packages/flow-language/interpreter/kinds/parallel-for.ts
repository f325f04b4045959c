import type { ForTask, Json } from '../../plan.ts';
import { compositeOf, type Execution, type Result } from '../execution.ts';
import { namesWithin } from '../names.ts';
import { beginParallel, executeParallel } from '../parallel.ts';
import { roundFrame } from './round-frame.ts';

/** Executes the rounds of a loop side by side. Each round has the loop's input; the output is the list of the rounds' outputs. */
export async function doParallelFor(execution: Execution<ForTask>, items: Json[]): Promise<Result> {
  const { task, frame } = execution;
  const path = `${task.path}/do/`;
  const roundOf = (index: number) => roundFrame(frame, task, index, items[index] ?? null);
  const state = compositeOf(execution, 'parallel', () => beginParallel(execution, items));
  const scope = { path, iteration: frame.iteration };
  return executeParallel(execution, state, {
    count: items.length,
    concurrency: task.parallel ?? 1,
    isRace: false,
    areRounds: true,
    scope,
    scopeOf: (index) => ({ path, iteration: roundOf(index).iteration }),
    tasksOf: () => task.tasks,
    frameOf: roundOf,
    clearedSteps: namesWithin(task.tasks),
  });
}

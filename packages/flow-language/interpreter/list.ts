import type { FlowDirective, Task } from '../plan.ts';
import type { Branch } from './branch.ts';
import type { Frame } from './frame.ts';
import type { Value } from './host.ts';
import { FlowError } from './problem.ts';
import type { ListState } from './state.ts';
import { executeTask } from './task.ts';

/** Executes a list of tasks from its state up to its end, an `exit` or an `end`. */
export async function executeList(
  branch: Branch,
  tasks: readonly Task[],
  list: ListState,
  frame: Frame,
): Promise<{ output: Value; ended: boolean }> {
  for (let task = tasks[list.index]; task !== undefined; task = tasks[list.index]) {
    const { output, next, ended } = await executeTask(branch, task, list, frame);
    // The state keeps the outcome of a task that leaves the list, so that the list can be followed to here again.
    if (ended || next === 'end') return { output, ended: true };
    if (next === 'exit') return { output, ended: false };
    const target = targetOf(tasks, list.index, next);
    if (target <= list.index) countJumpBack(branch, task);
    list.index = target;
    list.input = output;
    list.task = null;
  }
  return { output: list.input, ended: false };
}

function targetOf(tasks: readonly Task[], index: number, next: FlowDirective | undefined): number {
  if (next === undefined || next === 'continue') return index + 1;
  const target = tasks.findIndex(({ name }) => name === next);
  if (target < 0) throw new Error(`the plan has no task ${next} beside ${tasks[index]?.name}`);
  return target;
}

function countJumpBack(branch: Branch, task: Task): void {
  try {
    branch.usage.countRound();
  } catch (thrown) {
    throw thrown instanceof FlowError ? thrown.at(task.path) : thrown;
  }
}

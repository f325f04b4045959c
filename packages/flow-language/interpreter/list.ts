import type { FlowDirective, Task } from '../plan.ts';
import type { Frame } from './frame.ts';
import type { Value } from './host.ts';
import { FlowError } from './problem.ts';
import type { Run } from './run.ts';
import { executeTask } from './task.ts';

/** Executes a list of tasks up to its end, an `exit` or an `end`. */
export async function executeList(
  run: Run,
  tasks: readonly Task[],
  input: Value,
  frame: Frame,
): Promise<{ output: Value; ended: boolean }> {
  let output = input;
  let index = 0;
  for (let task = tasks[0]; task !== undefined; task = tasks[index]) {
    const result = await executeTask(run, task, output, frame);
    output = result.output;
    if (result.ended || result.next === 'end') return { output, ended: true };
    if (result.next === 'exit') return { output, ended: false };
    const target = targetOf(tasks, index, result.next);
    if (target <= index) countJumpBack(run, task);
    index = target;
  }
  return { output, ended: false };
}

function targetOf(tasks: readonly Task[], index: number, next: FlowDirective | undefined): number {
  if (next === undefined || next === 'continue') return index + 1;
  const target = tasks.findIndex(({ name }) => name === next);
  if (target < 0) throw new Error(`the plan has no task ${next} beside ${tasks[index]?.name}`);
  return target;
}

function countJumpBack(run: Run, task: Task): void {
  try {
    run.usage.countRound();
  } catch (thrown) {
    throw thrown instanceof FlowError ? thrown.at(task.path) : thrown;
  }
}

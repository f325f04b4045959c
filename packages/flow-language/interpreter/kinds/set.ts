import type { SetTask } from '../../plan.ts';
import type { Execution, Result } from '../execution.ts';

export async function set({ task, input, frame, evaluation }: Execution<SetTask>): Promise<Result> {
  return { output: await evaluation.value(task.value, input, frame), hasNewOutput: true };
}

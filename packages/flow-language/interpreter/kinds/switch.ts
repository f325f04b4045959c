import type { SwitchTask } from '../../plan.ts';
import type { Execution, Result } from '../execution.ts';

/** Chooses a case and passes the input through. When no case holds and there is no default, the task's own `then` counts. */
export async function choose(execution: Execution<SwitchTask>): Promise<Result> {
  const { task, input, frame, evaluation } = execution;
  for (const { when, then } of task.cases) {
    if (when && (await evaluation.truth(when, input, frame))) return { output: input, next: then };
  }
  const otherwise = task.cases.find(({ when }) => when === undefined);
  return otherwise ? { output: input, next: otherwise.then } : { output: input };
}

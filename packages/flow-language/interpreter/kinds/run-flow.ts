import type { RunTask } from '../../plan.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { jsonOf } from '../json-text.ts';

/** Runs another flow. The output is the output of the child run. */
export async function runFlow(execution: Execution<RunTask>): Promise<Result> {
  const { task, input, frame, evaluation } = execution;
  const { flow, version } = task;
  const given = task.with ? await evaluation.value(task.with, input, frame) : input;
  return {
    output: await perform(execution, { kind: 'run', flow, version, input: jsonOf(given ?? {}) }),
  };
}

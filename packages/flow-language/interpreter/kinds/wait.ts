import type { WaitTask } from '../../plan.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { pause } from '../pause.ts';

/** Passes its input through once the time has come, which is journalled. */
export async function wait(execution: Execution<WaitTask>): Promise<Result> {
  const { run, task, frame, position, input } = execution;
  await pause({
    run,
    frame,
    key: position.key,
    durationMs: task.durationMs,
    meanwhile: (untilMs) => perform(execution, { kind: 'wait', untilMs }),
  });
  return { output: input };
}

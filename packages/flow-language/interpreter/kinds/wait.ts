import type { WaitTask } from '../../plan.ts';
import { type Execution, perform, type Result } from '../execution.ts';
import { pause } from '../pause.ts';

/** Waits, journals the end of the wait as an effect, and passes the input through. */
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

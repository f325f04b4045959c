import type { WaitTask } from '../../plan.ts';
import type { Execution, Result } from '../execution.ts';
import { pause } from '../pause.ts';

/** Waits, journals the end of the wait, and passes the input through. */
export async function wait({
  branch,
  task,
  frame,
  position,
  input,
}: Execution<WaitTask>): Promise<Result> {
  branch.now = await pause({ branch, frame, key: position.key, durationMs: task.durationMs });
  return { output: input };
}

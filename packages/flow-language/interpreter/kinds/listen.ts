import type { ListenTask } from '../../plan.ts';
import { type Execution, perform, type Result } from '../execution.ts';

/** Waits for a signal. The output is a list of the signal's body. */
export async function listen(execution: Execution<ListenTask>): Promise<Result> {
  const body = await perform(execution, { kind: 'listen', signal: execution.task.signal });
  return { output: [body], hasNewOutput: true };
}

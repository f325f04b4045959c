import type { DoTask } from '../../plan.ts';
import type { Execution, Result } from '../execution.ts';
import { executeList } from '../list.ts';

export function doList({ run, task, input, frame }: Execution<DoTask>): Promise<Result> {
  return executeList(run, task.tasks, input, frame);
}

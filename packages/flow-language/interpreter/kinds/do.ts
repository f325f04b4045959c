import type { DoTask } from '../../plan.ts';
import { compositeOf, type Execution, type Result } from '../execution.ts';
import { executeList } from '../list.ts';
import { beginList } from '../state.ts';

export function doList(execution: Execution<DoTask>): Promise<Result> {
  const { branch, task, input, frame } = execution;
  const { list } = compositeOf(execution, 'do', () => ({ input, list: beginList(input) }));
  return executeList(branch, task.tasks, list, frame);
}

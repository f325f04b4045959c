import type { Task } from '../plan.ts';
import type { Execution, Result } from './execution.ts';
import { callHttp } from './kinds/call-http.ts';
import { doList } from './kinds/do.ts';
import { doFor } from './kinds/for.ts';
import { raiseError } from './kinds/raise.ts';
import { set } from './kinds/set.ts';
import { choose } from './kinds/switch.ts';
import { attempt } from './kinds/try.ts';
import { wait } from './kinds/wait.ts';

type Kind = Task['kind'];
type TaskOf<K extends Kind> = Extract<Task, { kind: K }>;

/** What each kind of task does. */
const KINDS: { readonly [K in Kind]: (execution: Execution<TaskOf<K>>) => Promise<Result> } = {
  set,
  'call-http': callHttp,
  do: doList,
  switch: choose,
  for: doFor,
  try: attempt,
  raise: raiseError,
  wait,
};

/** Does what the task's kind says; what all kinds share is in `task.ts`. */
export function executeKind<K extends Kind>(
  execution: Execution<TaskOf<K> & { kind: K }>,
): Promise<Result> {
  return KINDS[execution.task.kind](execution);
}

import type { Task } from '../plan.ts';
import type { Execution, Result } from './execution.ts';
import { callAgent } from './kinds/call-agent.ts';
import { callApiDescription } from './kinds/call-api-description.ts';
import { callHttp } from './kinds/call-http.ts';
import { callIssue } from './kinds/call-issue.ts';
import { doList } from './kinds/do.ts';
import { doFor } from './kinds/for.ts';
import { fork } from './kinds/fork.ts';
import { listen } from './kinds/listen.ts';
import { raiseError } from './kinds/raise.ts';
import { runFlow } from './kinds/run-flow.ts';
import { set } from './kinds/set.ts';
import { choose } from './kinds/switch.ts';
import { attempt } from './kinds/try.ts';
import { wait } from './kinds/wait.ts';

type Kind = Task['kind'];
type TaskOf<K extends Kind> = Extract<Task, { kind: K }>;

/** The function that executes each kind of task. */
const KINDS: { readonly [K in Kind]: (execution: Execution<TaskOf<K>>) => Promise<Result> } = {
  set,
  'call-http': callHttp,
  'call-api-description': callApiDescription,
  do: doList,
  switch: choose,
  for: doFor,
  try: attempt,
  raise: raiseError,
  wait,
  'call-issue': callIssue,
  'call-agent': callAgent,
  run: runFlow,
  listen,
  fork,
};

/** Executes the part of the task that depends on its kind. `task.ts` has the part that all kinds share. */
export function executeKind<K extends Kind>(
  execution: Execution<TaskOf<K> & { kind: K }>,
): Promise<Result> {
  return KINDS[execution.task.kind](execution);
}

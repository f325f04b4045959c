import type { Execution, Result } from './execution.ts';
import { callHttp } from './kinds/call-http.ts';
import { doList } from './kinds/do.ts';
import { doFor } from './kinds/for.ts';
import { raiseError } from './kinds/raise.ts';
import { set } from './kinds/set.ts';
import { choose } from './kinds/switch.ts';
import { attempt } from './kinds/try.ts';
import { wait } from './kinds/wait.ts';

/** Does what the task's kind says; what all kinds share is in `task.ts`. */
export function executeKind(execution: Execution): Promise<Result> {
  const { task, ...rest } = execution;
  switch (task.kind) {
    case 'set':
      return set({ ...rest, task });
    case 'call-http':
      return callHttp({ ...rest, task });
    case 'do':
      return doList({ ...rest, task });
    case 'switch':
      return choose({ ...rest, task });
    case 'for':
      return doFor({ ...rest, task });
    case 'try':
      return attempt({ ...rest, task });
    case 'raise':
      return raiseError({ ...rest, task });
    case 'wait':
      return wait({ ...rest, task });
  }
}

import type { Compiled, Json, Verdict } from '@workspace-automation/flow-language';
import { fileSandbox, sandbox } from '../../mixins/sandbox.ts';
import { Turns } from '../../mixins/turns.ts';
import { tooManyStarts } from './runs.problems.ts';
import type { PlanUse } from './worker/plans.ts';

/** Of one workspace. One takes a few ms of a child's CPU time as a rule, and 2 s at worst. */
const MOST_WAITING = 250;
/** More of different workspaces would only wait for a child. */
const AT_ONCE = 2;
/** Much less than a start may take. */
const PATIENCE_MS = 8_000;

/** What requests ask for, kept away from the children that running flows need. */
const starts = new Turns({
  atOnce: AT_ONCE,
  mostWaiting: MOST_WAITING,
  patienceMs: PATIENCE_MS,
  refusal: tooManyStarts,
});
/** Runs that go on are as many as this process has room for: they wait as long as it takes. */
const runs = new Turns({
  atOnce: AT_ONCE,
  mostWaiting: Number.POSITIVE_INFINITY,
  refusal: tooManyStarts,
});

/** Compiles a version, a text that has compiled before, in its workspace's turn. */
export function compileInTurn(
  content: string,
  workspaceId: number,
  use: PlanUse,
): Promise<Compiled> {
  const key = String(workspaceId);
  const options = { stored: true, tenant: `workspace:${workspaceId}` };
  return use === 'start'
    ? starts.take(key, () => fileSandbox().compile(content, options))
    : runs.take(key, () => sandbox().compile(content, options));
}

/** Checks the input of a start in its workspace's turn. */
export const validateInTurn = (schema: Json, value: Json, workspaceId: number): Promise<Verdict> =>
  starts.take(String(workspaceId), () =>
    fileSandbox().validateInput(schema, value, { tenant: `workspace:${workspaceId}` }),
  );

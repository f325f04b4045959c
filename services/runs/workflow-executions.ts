import { noWorkflow } from '../../contract/problem.ts';
import { systemChange } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import type { Params } from '../contracts.ts';
import { cancelLiveRuns, unlessEnded } from './cancel-live-runs.ts';
import { type CancelListeners, cancelRun } from './cancel-run.ts';
import { findRun } from './find-run.ts';
import { isExecution, type ShownExecutionRun, type ShownRun } from './show-run.ts';

const CANCEL = systemChange('runs', 'runs.cancelExecutions', {
  none: 'the entry of the deletion of the workflow says it',
});

const liveOf = ({ workspaceId, workflowId }: Params<'runs.liveExecutions'>) => ({
  live: true as const,
  workspaceId,
  'execution.workflowId': workflowId,
});

/** Finds an execution; null for a run of a flow. */
export async function findExecution(id: number): Promise<ShownExecutionRun | null> {
  const run = await findRun(id);
  return run && isExecution(run) ? run : null;
}

/** Counts the executions of a workflow that have not ended. */
export const countLiveExecutions = (workflow: Params<'runs.liveExecutions'>): Promise<number> =>
  RunModel.countDocuments(liveOf(workflow));

/** Cancels the live executions of deleted workflows. */
export async function cancelExecutions(
  { entries }: Params<'runs.cancelExecutions'>,
  listeners: CancelListeners,
): Promise<null> {
  for (const workflow of entries) await cancelLiveRuns(liveOf(workflow), CANCEL, listeners);
  return null;
}

/** Cancels an execution whose workflow was deleted while it was started, and throws the 404 of the workflow. */
export async function refuseOrphan(
  { _id, workspaceId }: Pick<ShownRun, '_id' | 'workspaceId'>,
  workflowId: number,
  listeners: CancelListeners,
): Promise<never> {
  await cancelRun({ _id, workspaceId }, CANCEL, listeners).catch(unlessEnded);
  throw noWorkflow(workflowId);
}

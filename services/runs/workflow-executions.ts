import { systemChange } from '../../mixins/changes/change-context.ts';
import { RunModel } from '../../models/run.model.ts';
import type { Params } from '../contracts.ts';
import { cancelLiveRuns } from './cancel-live-runs.ts';
import type { CancelListeners } from './cancel-run.ts';
import { findRun } from './find-run.ts';
import { isExecution, type ShownExecutionRun } from './show-run.ts';

/** The change by which a run is cancelled because what it runs is deleted. */
export const WORKFLOW_DELETED = systemChange('runs', 'runs.cancelExecutions', {
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
  for (const workflow of entries)
    await cancelLiveRuns(liveOf(workflow), WORKFLOW_DELETED, listeners);
  return null;
}

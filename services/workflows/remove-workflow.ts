import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { showWorkflow } from './show-workflow.ts';
import { hasLiveExecutions } from './workflows.problems.ts';
import { type StoredWorkflow, workflows } from './workflows.store.ts';

export type CountLive = (workspaceId: number, workflowId: number) => Promise<number>;

/**
 * Deletes a workflow. Without `cancel`, live executions are a refusal. Executions that begin while the workflow is
 * deleted are cancelled in both cases.
 */
export async function removeWorkflow(
  workflow: StoredWorkflow,
  cancel: boolean,
  change: ChangeContext,
  countLive: CountLive,
): Promise<null> {
  const { _id: workflowId, workspaceId } = workflow;
  const check = async () => {
    if (cancel) return;
    const live = await countLive(workspaceId, workflowId);
    if (live > 0) throw hasLiveExecutions(live);
  };
  const messages = [
    { call: 'runs.cancelExecutions', params: { workspaceId, workflowId } },
    { call: 'dev-mode.removeBranches', params: { workflowId } },
  ];
  await workflows.remove(workflow, change, { show: showWorkflow, check, messages });
  return null;
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { Workflow } from './contract/resources.ts';
import { showWorkflow } from './show-workflow.ts';
import { contradiction } from './workflows.problems.ts';
import { type StoredWorkflow, workflows } from './workflows.store.ts';

type WorkflowUpdate = Params<'workflows.update'>;

/** Changes the fields that are given and differ. */
export async function updateWorkflow(
  workflow: StoredWorkflow,
  update: WorkflowUpdate,
  change: ChangeContext,
): Promise<Workflow> {
  assertSame(workflow, update);
  const decide = (current: StoredWorkflow) => {
    const set = changedDetails(current, update);
    return Object.keys(set).length ? { set } : null;
  };
  return showWorkflow(await workflows.change(workflow, decide, change, showWorkflow));
}

/** Refuses an `id` or `workspaceId` that differs from the workflow's. */
function assertSame(workflow: StoredWorkflow, { id, workspaceId }: WorkflowUpdate): void {
  if (id !== undefined && id !== workflow._id) throw contradiction('id');
  if (workspaceId !== undefined && workspaceId !== workflow.workspaceId) {
    throw contradiction('workspaceId');
  }
}

type Details = Partial<Pick<StoredWorkflow, 'name' | 'description'>>;

function changedDetails(workflow: StoredWorkflow, { name, description }: WorkflowUpdate): Details {
  return {
    ...(name === undefined || name === workflow.name ? {} : { name }),
    ...(description === undefined || description === workflow.description ? {} : { description }),
  };
}

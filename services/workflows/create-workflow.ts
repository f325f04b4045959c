import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { Workflow } from './contract/resources.ts';
import { showWorkflow } from './show-workflow.ts';
import { workflows } from './workflows.store.ts';

/** Creates a workflow without steps. */
export async function createWorkflow(
  { workspaceId, name, description }: Params<'workflows.create'>,
  change: ChangeContext,
): Promise<Workflow> {
  const now = new Date();
  const times = { publishedAt: now, createdAt: now, updatedAt: now };
  const created = { workspaceId, name, description, publishedRevision: 0, steps: [], ...times };
  return showWorkflow(await workflows.create(created, change));
}

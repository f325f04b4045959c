import { ascendingBy } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import type { Page } from '../../contract/pages.ts';
import { readPage } from '../../mixins/database/read-page.ts';
import { type WorkflowDocument, WorkflowModel } from '../../models/workflow.model.ts';
import type { Workflow } from './contract/resources.ts';
import { SHOWN_FIELDS, showWorkflow } from './show-workflow.ts';

/** The fields of a workflow that other services keep. */
export interface WorkflowSummary {
  id: number;
  workspaceId: number;
  name: string;
}

const SUMMARY = { workspaceId: 1, name: 1 } as const;
type Summarised = Pick<WorkflowDocument, '_id' | keyof typeof SUMMARY>;

export const summaryOf = ({ _id: id, workspaceId, name }: Summarised): WorkflowSummary => ({
  id,
  workspaceId,
  name,
});

/** The workflows of a workspace, by id. */
export function listWorkflows(workspaceId: number, position: Position): Promise<Page<Workflow>> {
  const order = ascendingBy('_id');
  const query = { filter: { workspaceId }, order, position, projection: SHOWN_FIELDS };
  return readPage(WorkflowModel, query, showWorkflow);
}

/** The workflows with these ids, without order; unknown ids are left out. Reads without mongoose, because each edit calls it. */
export async function findSummaries(ids: readonly number[]): Promise<WorkflowSummary[]> {
  const filter = { _id: { $in: [...ids] }, removedAt: null };
  const found = await WorkflowModel.collection
    .find<Summarised>(filter as never, { projection: SUMMARY })
    .toArray();
  return found.map(summaryOf);
}

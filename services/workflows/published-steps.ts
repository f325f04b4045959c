import { noWorkflow } from '../../contract/problem.ts';
import type { WorkflowDocument } from '../../models/workflow.model.ts';
import { WorkflowModel } from '../../models/workflow.model.ts';
import type { Actions } from '../contracts.ts';
import type { WorkflowSteps } from '../workflow-steps/step-fields.ts';
import { flowFileOf, showStep } from '../workflow-steps/stored-steps.ts';
import { summaryOf } from './find-workflow.ts';

const PUBLISHED = {
  workspaceId: 1,
  name: 1,
  publishedRevision: 1,
  publishedAt: 1,
  steps: 1,
} as const;
type Published = Pick<WorkflowDocument, '_id' | keyof typeof PUBLISHED>;

/** Reads a workflow with the definitions of its steps. Reads without mongoose, because each execution calls it. */
export async function readPublished(id: number): Promise<Published> {
  const filter = { _id: id, removedAt: null };
  const found = await WorkflowModel.collection.findOne<Published>(filter as never, {
    projection: PUBLISHED,
  });
  if (!found) throw noWorkflow(id);
  return found;
}

export const showSteps = ({
  publishedRevision,
  steps,
}: Pick<Published, 'publishedRevision' | 'steps'>): WorkflowSteps => ({
  revision: publishedRevision,
  steps: steps.map(showStep),
});

/** The published steps, as the interface shows them. */
export const getSteps = async (id: number): Promise<WorkflowSteps> =>
  showSteps(await readPublished(id));

/** Writes a flow file in JSON as YAML. */
export type FormatFile = (workspaceId: number, json: string) => Promise<string>;

/** The published steps as a flow file in YAML. */
export async function getText(id: number, format: FormatFile): Promise<string> {
  const { workspaceId, steps } = await readPublished(id);
  return format(workspaceId, flowFileOf(steps));
}

/** The published steps, as other services read them. */
export async function getPublished(id: number): Promise<Actions['workflows.published']['result']> {
  const published = await readPublished(id);
  return {
    workflow: summaryOf(published),
    revision: published.publishedRevision,
    publishedAt: published.publishedAt.toISOString(),
    steps: published.steps.map(({ key, definition, hash }) => ({ key, definition, hash })),
  };
}

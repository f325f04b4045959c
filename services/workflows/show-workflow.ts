import type { WorkflowDocument } from '../../models/workflow.model.ts';
import type { Workflow } from './contract/resources.ts';

/** The fields of a workflow that its answers show. */
export const SHOWN_FIELDS = { name: 1, description: 1, createdAt: 1 } as const;
export type ShownWorkflow = Pick<WorkflowDocument, '_id' | keyof typeof SHOWN_FIELDS>;

export const showWorkflow = ({ _id, name, description, createdAt }: ShownWorkflow): Workflow => ({
  id: _id,
  name,
  description,
  createdAt: createdAt.toISOString(),
});

import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { workflowStep } from './workflow-step.ts';

/** A workflow with its published steps. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  description: field.string,
  /** The number of publications; 0 before the first. */
  publishedRevision: field.number,
  /** The time of the last publication; the time of the creation before the first. */
  publishedAt: field.date,
  /** The published steps, in order. */
  steps: field.list(workflowStep),
  createdAt: field.date,
  ...changedFields,
};
export type WorkflowDocument = DocumentOf<typeof fields>;

export const WorkflowModel = defineModel({
  name: 'Workflow',
  collection: 'workflows',
  fields,
  indexes: [outboxIndex, [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'workflows name no person' },
  },
});

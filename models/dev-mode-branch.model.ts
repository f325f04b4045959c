import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import { stepFields, workflowStep } from './workflow-step.ts';

/** A step of a branch, in its place. A deleted step of the base stays in its place, with the flag. */
const branchStepFields = {
  ...stepFields,
  /** The number of the edit that last changed the step; 0 for a step that the branch has not changed. */
  revision: field.number,
  updatedBy: field.nullable(actor),
  updatedAt: field.nullable(field.date),
  deleted: field.flag,
};
export type BranchStep = DocumentOf<typeof branchStepFields>;

/** The publication of a branch that may not be known to the branch yet: it is written before the steps are published. */
const pendingPublication = field.object({
  /** Tells the publication from every other one. */
  id: field.string,
  /** The revision that the publication makes. */
  revision: field.number,
  /** The hash of the steps that it publishes. */
  hash: field.string,
  /** The base of the branch, and its steps without deleted ones, whose edits the publication takes in. */
  baseRevision: field.number,
  steps: field.list(field.object({ key: field.string, hash: field.string })),
});

/** The branch of a workflow: the editable copy of its steps. This document alone decides the order of edits. */
const fields = {
  /** The id of the workflow: a workflow has one branch at most. */
  _id: field.number,
  /** The id of this branch, which no later branch of the workflow gets. */
  branchId: field.number,
  workspaceId: field.number,
  /** The published revision that the branch is based on. */
  baseRevision: field.number,
  /** The steps of the base, by which the statuses of steps and the merge are decided. */
  base: field.list(workflowStep),
  steps: field.list(field.object(branchStepFields)),
  /** The number of edits: the id of the latest snapshot. */
  edits: field.number,
  /** The time of the latest edit. */
  editedAt: field.date,
  pendingPublication: field.optional(pendingPublication),
  createdAt: field.date,
  ...changedFields,
};
export type DevModeBranchDocument = DocumentOf<typeof fields>;

export const DevModeBranchModel = defineModel({
  name: 'DevModeBranch',
  collection: 'dev_mode_branches',
  fields,
  indexes: [outboxIndex, [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['steps.updatedBy'] },
  },
});

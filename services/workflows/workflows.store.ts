import { noWorkflow } from '../../contract/problem.ts';
import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import { type WorkflowDocument, WorkflowModel } from '../../models/workflow.model.ts';
import { showWorkflow } from './show-workflow.ts';

/** A workflow as reads return it: its steps lack their definitions, which take up to 256 KiB. */
export type StoredWorkflow = Shown<WorkflowDocument>;

/** The one way to write workflows. */
export const workflows = changesOf(WorkflowModel, {
  unread: ['steps.definition'],
  missing: noWorkflow,
  outgoing: {
    publish: 'workflows.publishEvents',
    typeOf: (before, after) =>
      before && after && after.publishedRevision !== before.publishedRevision
        ? 'workflow.published'
        : null,
    snapshot: showWorkflow,
    workspaceOf: ({ workspaceId }) => workspaceId,
  },
});

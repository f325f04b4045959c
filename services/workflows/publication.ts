import type { Actor } from '../../contract/caller.ts';
import type { Update } from '../../mixins/changes/update.ts';
import type { WorkflowDocument } from '../../models/workflow.model.ts';
import type { StoredStep } from '../workflow-steps/step-fields.ts';
import type { StoredWorkflow } from './workflows.store.ts';

/** The change that publishes steps as the next revision. The branch of the workflow hears of the revision. */
export function publication(
  { _id: workflowId, publishedRevision }: StoredWorkflow,
  steps: readonly StoredStep[],
  actor: Actor,
): Update<WorkflowDocument> {
  const revision = publishedRevision + 1;
  return {
    set: { steps: [...steps], publishedRevision: revision, publishedAt: new Date() },
    changed: ['steps'],
    messages: [{ call: 'dev-mode.followPublished', params: { workflowId, revision, actor } }],
  };
}

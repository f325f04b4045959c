import { noWorkflow } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import { areSameSteps } from '../workflow-steps/stored-steps.ts';
import { publication } from './publication.ts';
import { type StoredWorkflow, workflows } from './workflows.store.ts';

/**
 * Publishes checked steps in place of the expected revision. False when another revision is published, unless that is
 * the next revision with these very steps: then an earlier attempt of the same call has published them.
 */
export async function publishSteps(
  { workflowId, expectedRevision, steps, request }: Params<'workflows.publish'>,
  change: ChangeContext,
): Promise<{ published: boolean }> {
  const workflow = await workflows.find(workflowId);
  if (!workflow) throw noWorkflow(workflowId);
  const isDone = (current: StoredWorkflow) =>
    current.publishedRevision === expectedRevision + 1 && areSameSteps(steps, current.steps);
  let published = false;
  const decide = (current: StoredWorkflow) => {
    const isNext = current.publishedRevision === expectedRevision;
    published = isNext || isDone(current);
    return isNext ? publication(current, steps, request.actor) : null;
  };
  await workflows.change(workflow, decide, { ...change, ...request });
  return { published };
}

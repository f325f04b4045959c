import type { ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { WorkflowModel } from '../../models/workflow.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { publishEvents } from '../outgoing-events/publish-events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { StepChecks } from '../workflow-steps/check-steps.ts';
import { createWorkflow } from './create-workflow.ts';
import { findSummaries, listWorkflows } from './find-workflow.ts';
import { publishSteps } from './publish-steps.ts';
import { getPublished, getSteps, getText } from './published-steps.ts';
import { removeWorkflow } from './remove-workflow.ts';
import { setSteps } from './set-steps.ts';
import { showWorkflow } from './show-workflow.ts';
import { updateWorkflow } from './update-workflow.ts';
import { workflowEvents } from './publish-workflow-events.ts';
import { workflowsContract } from './workflows.contract.ts';
import { workflows } from './workflows.store.ts';

const AS_WORKFLOWS = asSystem('workflows');

/** Workflows and their published steps. The service `runs` executes them, and `dev-mode` edits them. */
export function workflowsService(): ServiceSchema {
  const erasures = erasuresOf('workflows', [WorkflowModel]);
  let owners: ShareOwners;
  let checks: StepChecks;

  return {
    name: 'workflows',
    mixins: [erasures.mixin, Changes(workflows)],
    actions: implement(
      workflowsContract,
      {
        ...erasures.handlers,
        publishEvents: (ctx) => publishEvents(ctx.params.entries, ctx, workflowEvents),
        create: (ctx) => createWorkflow(ctx.params, changeOf(ctx)),
        update: (ctx) => updateWorkflow(ctx.locals.resource, ctx.params, changeOf(ctx)),
        get: (ctx) => showWorkflow(ctx.locals.resource),
        remove: (ctx) =>
          removeWorkflow(
            ctx.locals.resource,
            ctx.params.cancel,
            changeOf(ctx),
            async (workspaceId, workflowId) => {
              const params = { workspaceId, workflowId };
              return (await ctx.call('runs.liveExecutions', params, AS_WORKFLOWS)).live;
            },
          ),
        list: (ctx) => listWorkflows(ctx.params.workspaceId, ctx.params),
        getSteps: (ctx) => getSteps(ctx.params.id),
        setSteps: (ctx) => setSteps(ctx.locals.resource, ctx.params, changeOf(ctx), checks),
        getText: (ctx) =>
          getText(ctx.params.id, (workspaceId, json) => checks.format(workspaceId, json)),
        workflowsByIds: async (ctx) => ({ workflows: await findSummaries(ctx.params.ids) }),
        published: (ctx) => getPublished(ctx.params.workflowId),
        publish: (ctx) => publishSteps(ctx.params, changeOf(ctx)),
      },
      { workflow: workflows.find },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
    },
    created() {
      owners = createShareOwners(this.broker, 'workflows');
      checks = new StepChecks(owners);
    },
  };
}

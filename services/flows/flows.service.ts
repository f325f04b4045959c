import type { ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { FlowModel } from '../../models/flow.model.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { FileChecks } from './check-content.ts';
import { createFlow } from './create-flow.ts';
import { drawGraph } from './draw-graph.ts';
import { findIdByName, flowsByIds, listFlows } from './find-flow.ts';
import { flowsContract } from './flows.contract.ts';
import { flows } from './flows.store.ts';
import { removeFlow, removeParts } from './remove-flow.ts';
import { showFlow } from './show-flow.ts';
import { updateFlow } from './update-flow.ts';
import { diffVersions } from './versions/diff-versions.ts';
import { restoreVersion } from './versions/restore-version.ts';
import { getContent, listVersions, versionForRun } from './versions/versions.ts';
import { findVersionsToRun } from './versions/versions-to-run.ts';

const AS_FLOWS = asSystem('flows');

/** The service of flow files and their versions. The service `runs` executes them. */
export function flowsService(): ServiceSchema {
  const erasures = erasuresOf('flows', [FlowModel, FlowVersionModel]);
  let owners: ShareOwners;
  let checks: FileChecks;

  return {
    name: 'flows',
    mixins: [erasures.mixin, Changes(flows)],
    actions: implement(
      flowsContract,
      {
        ...erasures.handlers,
        create: (ctx) => createFlow(ctx.params, changeOf(ctx), checks),
        update: (ctx) => updateFlow(ctx.locals.resource, ctx.params, changeOf(ctx), checks),
        get: (ctx) => showFlow(ctx.locals.resource),
        remove: (ctx) =>
          removeFlow(
            ctx.locals.resource,
            ctx.params.cancel,
            changeOf(ctx),
            async (flow) => (await ctx.call('runs.liveFlowRuns', flow, AS_FLOWS)).live,
          ),
        removeParts: (ctx) => removeParts(ctx.params),
        list: (ctx) => listFlows(ctx.params.workspaceId, ctx.params),
        listVersions: (ctx) => listVersions(ctx.locals.resource, ctx.params),
        getVersion: (ctx) => getContent(ctx.locals.resource, ctx.params.versionId),
        diff: (ctx) => diffVersions(ctx.locals.resource, ctx.params, owners),
        restore: (ctx) =>
          restoreVersion(ctx.locals.resource, ctx.params.versionId, changeOf(ctx), checks),
        graph: (ctx) => drawGraph(ctx.locals.resource, checks),
        async validate(ctx) {
          const checked = await checks.checkFor(ctx.meta.caller, ctx.params.content);
          return { valid: checked.faults.length === 0, ...checked };
        },
        versionForRun: (ctx) => versionForRun(ctx.params.flowId, ctx.params.versionId),
        versionsToRun: async ({ params }) => ({
          versions: await findVersionsToRun(params.starts),
        }),
        flowIdByName: async ({ params }) => ({ flowId: await findIdByName(params) }),
        flowsByIds: async (ctx) => ({ flows: await flowsByIds(ctx.params.ids) }),
      },
      { flow: flows.find },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
    },
    created() {
      owners = createShareOwners(this.broker, 'flows');
      checks = new FileChecks(owners);
    },
  };
}

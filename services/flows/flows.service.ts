import type { ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { FlowModel } from '../../models/flow.model.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';
import { TransformationTestModel } from '../../models/transformation-test.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { publishEvents } from '../outgoing-events/publish-events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { FileChecks } from './check-content.ts';
import { createFlow } from './create-flow.ts';
import { drawGraph } from './draw-graph.ts';
import { findIdByName, flowsByIds, listFlows } from './find-flow.ts';
import { flowEvents } from './publish-flow-events.ts';
import { flowsContract } from './flows.contract.ts';
import { flows } from './flows.store.ts';
import { removeFlow, removeParts } from './remove-flow.ts';
import { showFlow } from './show-flow.ts';
import { createTest } from './transformations/create-test.ts';
import { scheduleTests } from './transformations/due-tests.ts';
import { listTests } from './transformations/list-tests.ts';
import { removeTestOf } from './transformations/remove-tests.ts';
import { runTests } from './transformations/run-tests.ts';
import { TestWorker } from './transformations/test-worker.ts';
import { transformationTests } from './transformations/tests.store.ts';
import { transform } from './transformations/transformations.ts';
import { updateFlow } from './update-flow.ts';
import { diffVersions } from './versions/diff-versions.ts';
import { restoreVersion } from './versions/restore-version.ts';
import { getContent, listVersions, versionForRun } from './versions/versions.ts';
import { findVersionsToRun } from './versions/versions-to-run.ts';

/** Milliseconds between two looks for due tests that a crash has left, or that another process has made due. */
const TESTS_SWEEP_MS = 2_000;

const AS_FLOWS = asSystem('flows');

/** The service of flow files and their versions. The service `runs` executes them. */
export function flowsService(): ServiceSchema {
  const erasures = erasuresOf('flows', [FlowModel, FlowVersionModel, TransformationTestModel]);
  let owners: ShareOwners;
  let checks: FileChecks;
  let testWorker: TestWorker;

  return {
    name: 'flows',
    mixins: [
      erasures.mixin,
      Changes(flows, transformationTests),
      Sweep(TESTS_SWEEP_MS, async () => testWorker.wake(), IDLE_FACTOR),
    ],
    actions: implement(
      flowsContract,
      {
        ...erasures.handlers,
        publishEvents: (ctx) => publishEvents(ctx.params.entries, ctx, flowEvents),
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
        testTransformation: async ({ meta, params: { expression, input, bindings } }) =>
          transform(await owners.ofCaller(meta.caller), { expression, input, variables: bindings }),
        createTransformationTest: (ctx) =>
          createTest(ctx.locals.resource, ctx.params, changeOf(ctx)),
        listTransformationTests: (ctx) => listTests(ctx.params.flowId, ctx.params),
        runTransformationTests: (ctx) => runTests(ctx.locals.resource, owners),
        removeTransformationTest: (ctx) => removeTestOf(ctx.locals.resource, changeOf(ctx)),
        async scheduleTransformationTests(ctx) {
          await scheduleTests(ctx.params, owners);
          testWorker.wake();
          return null;
        },
        versionForRun: (ctx) => versionForRun(ctx.params.flowId, ctx.params.versionId),
        versionsToRun: async ({ params }) => ({
          versions: await findVersionsToRun(params.starts),
        }),
        flowIdByName: async ({ params }) => ({ flowId: await findIdByName(params) }),
        flowsByIds: async (ctx) => ({ flows: await flowsByIds(ctx.params.ids) }),
      },
      { flow: flows.find, 'transformation test': transformationTests.find },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
    },
    created() {
      owners = createShareOwners(this.broker, 'flows');
      checks = new FileChecks(owners);
      testWorker = new TestWorker(owners, (error) =>
        this.logger.error({ err: error }, 'A transformation test is run again later'),
      );
    },
    stopped: () => testWorker.stop(),
  };
}

import type { ServiceSchema } from 'moleculer';
import { environment } from '../../environment/environment.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { RollupModel } from '../../models/rollup.model.ts';
import { RunModel } from '../../models/run.model.ts';
import { RunStepModel } from '../../models/run-step.model.ts';
import { WorkerModel } from '../../models/worker.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { processStopping } from '../process/process.events.ts';
import { awaitRun } from './await-run.ts';
import { type CancelListeners, cancelRun } from './cancel-run.ts';
import { validateInTurn } from './engine/check-queues.ts';
import { Engine } from './engine/engine.ts';
import { cancelRunsOf } from './erase-runs.ts';
import { findEarlierRun, findRun, getRun } from './find-run.ts';
import { listRuns } from './list-runs.ts';
import { getBacklog, listLiveRuns, listLiveWorkers } from './live-runs.ts';
import { StartQuotas } from './quotas/start-quotas.ts';
import { runsContract } from './runs.contract.ts';
import { runCancelRequested, runEnded, runReady } from './runs.events.ts';
import { runOutboxes } from './runs.outboxes.ts';
import { showRun } from './show-run.ts';
import { prepareRun, type StartTools } from './start-run.ts';
import { recentRuns } from './statistics/recent-runs.ts';
import { statisticsOf } from './statistics/statistics.ts';
import { workspacesToCount } from './statistics/workspaces-to-count.ts';
import { getStep, listSteps } from './steps.ts';

/** The service of runs: the durable engine, its runs and steps, and their statistics. */
export function runsService(): ServiceSchema {
  let engine: Engine;
  const cancelListeners: CancelListeners = {
    onEnded: (runId) => engine.announce(runEnded, { runId }),
    onRequested: (runId) => engine.announce(runCancelRequested, { runId }),
  };
  const erasures = erasuresOf('runs', [RunModel, RunStepModel, RollupModel, WorkerModel], () => ({
    runs: ({ targetId }) => cancelRunsOf(targetId, cancelListeners),
  }));
  const quotas = new StartQuotas({
    queuedRuns: environment.QUEUED_RUNS_PER_WORKSPACE,
    runBytes: environment.RUN_BYTES_PER_WORKSPACE,
  });
  const tools: StartTools = {
    planOf: (version, share, content) => engine.plans.planOf(version, share, 'start', content),
    validateInput: validateInTurn,
    findConfiguration: (params) => engine.ask('configurations.forRun', params),
  };
  const workspacesOf = async (userId: number) =>
    (await engine.ask('workspaces.workspacesOf', { userId })).workspaceIds;

  return {
    name: 'runs',
    mixins: [erasures.mixin, Changes(runOutboxes)],
    actions: implement(
      runsContract,
      {
        ...erasures.handlers,
        async start(ctx) {
          const { params, meta, locals, nodeID } = ctx;
          const { wait, ...named } = params;
          const earlier = await findEarlierRun(locals.reservedId);
          if (earlier) return showRun(await engine.awaitEnd(earlier, wait, nodeID));
          const version = await engine.completeVersion(locals.resource);
          const share = await engine.owners.ofWorkspace(version.flow.workspaceId);
          const { traceparent } = meta;
          const order = { ...named, share, traceparent, change: changeOf(ctx) };
          const run = await prepareRun(version, order, tools);
          const store = () => engine.store(run);
          if (!wait) return showRun(await quotas.store(run, store));
          const awaited = { runId: run._id, ms: wait, nodeID };
          const { stored, ended } = await quotas.store(run, () =>
            engine.endWaiters.storeAndWait(awaited, store),
          );
          return showRun(await awaitRun(stored, ended, getRun));
        },
        list: ({ params }) => listRuns(params),
        get: ({ locals }) => showRun(locals.resource),
        listSteps: ({ params }) => listSteps(params),
        getStep: ({ params }) => getStep(params),
        async cancel(ctx) {
          return showRun(await cancelRun(ctx.locals.resource, changeOf(ctx), cancelListeners));
        },
        async statistics({ params, meta }) {
          const { workspaceId, ...query } = params;
          const workspaceIds = await workspacesToCount(meta.caller, workspaceId, workspacesOf);
          const nameOf = async (id: number) => (await engine.flows.findFlow(id))?.name ?? null;
          return statisticsOf({ ...query, workspaceIds }, nameOf);
        },
        recent: ({ params }) => recentRuns(params),
        backlog: () => getBacklog(),
        listLive: async ({ params }) => ({
          runs: await listLiveRuns(params),
          backlog: await getBacklog(),
        }),
        listWorkers: async () => ({ workers: await listLiveWorkers() }),
      },
      {
        flow: (id: number) => engine.flows.findFlow(id),
        versionToRun: (id: number, params: { readonly versionId?: unknown }) =>
          engine.flows.findVersion(id, params),
        run: findRun,
      },
    ),
    events: {
      ...on(userVerified, () => engine.owners.drop()),
      ...on(runReady, ({ nodeID, broker }) => {
        if (nodeID !== broker.nodeID) engine.wake(); // this process has notified its own worker
      }),
      ...on(runEnded, ({ params }) => void engine.endWaiters.resolveRun(params.runId)),
      ...on(runCancelRequested, ({ params }) => engine.cancel(params.runId)),
      // A gateway lets requests end before it stops. Requests that wait for a run must not delay the stop.
      ...on(processStopping, ({ nodeID, broker }) => {
        if (nodeID === broker.nodeID) engine.beginStop();
        else engine.endWaiters.releaseNode(nodeID);
      }),
    },
    created() {
      engine = new Engine(this.broker);
    },
    started: () => engine.start(),
    stopped: () => engine.stop(),
  };
}

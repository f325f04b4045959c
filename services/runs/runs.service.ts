import type { ServiceSchema } from 'moleculer';
import { environment } from '../../environment/environment.ts';
import { type ChangeContext, changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { BulkJobModel } from '../../models/bulk-job.model.ts';
import { RollupModel } from '../../models/rollup.model.ts';
import { RunModel } from '../../models/run.model.ts';
import { RunStepModel } from '../../models/run-step.model.ts';
import { InstallationModel } from '../../models/installation.model.ts';
import { WorkerModel } from '../../models/worker.model.ts';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { warmSandboxes } from '../../support/sandbox.ts';
import { levelOfFailure } from '../../support/stopping-brokers.ts';
import { implement, on, type Params } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { processStopping } from '../process/process.events.ts';
import {
  bulkJobOutboxes,
  createBulkJob,
  findBulkJob,
  type NewBulkJob,
  showBulkJob,
} from './bulk/bulk-jobs.ts';
import { BulkWorker } from './bulk/bulk-worker.ts';
import { cancelRun } from './cancel-run.ts';
import { Engine } from './engine/engine.ts';
import { cancelRunsOf } from './erase-runs.ts';
import { findEventRun } from './events/event-source.ts';
import { positionOf } from './events/event-position.ts';
import { findRun } from './find-run.ts';
import { findStarts } from './find-starts.ts';
import { cancelFlowRuns, countLiveFlowRuns } from './flow-runs.ts';
import { listExecutions, listRuns } from './list-runs.ts';
import { getBacklog, listLiveRuns, listLiveWorkers } from './live-runs.ts';
import { StartQuotas } from './quotas/start-quotas.ts';
import { runsContract } from './runs.contract.ts';
import { runCancelRequested, runEnded, runNotified, runReady } from './runs.events.ts';
import { runOutboxes } from './runs.outboxes.ts';
import { searchRuns } from './search-runs.ts';
import { showExecution, showFlowRun, showRun } from './show-run.ts';
import { SignalPosts } from './signals/post-signal.ts';
import type { VersionToRun } from './starts/flow-lookup.ts';
import { type RunStart, RunStarter, startOf } from './starts/run-starter.ts';
import { startTriggered } from './starts/triggered-start.ts';
import { recentRuns } from './statistics/recent-runs.ts';
import { RunningCounts } from './statistics/running-counts.ts';
import { statisticsOf } from './statistics/statistics.ts';
import { workspacesToCount } from './statistics/workspaces-to-count.ts';
import { getStep, listSteps } from './steps.ts';
import { listStuckRuns } from './stuck/list-stuck-runs.ts';
import { cancelExecutions, countLiveExecutions, findExecution } from './workflow-executions.ts';

/** Milliseconds between two looks for bulk jobs that a crash has left, or that another process has given back. */
const BULK_JOBS_SWEEP_MS = 2_000;

/** The service of runs: the durable engine, its runs and steps, and their statistics. */
export function runsService(): ServiceSchema {
  let engine: Engine;
  let starter: RunStarter;
  let bulkWorker: BulkWorker;
  const signalPosts = new SignalPosts();
  const runningCounts = new RunningCounts();
  const erasures = erasuresOf(
    'runs',
    [RunModel, RunStepModel, RollupModel, WorkerModel, BulkJobModel, InstallationModel],
    () => ({
      hooks: { runs: ({ targetId }) => cancelRunsOf(targetId, engine.cancelListeners) },
      finders: { runs: findStarts(() => engine) },
    }),
  );
  const quotas = new StartQuotas({
    queuedRuns: environment.QUEUED_RUNS_PER_WORKSPACE,
    runBytes: environment.RUN_BYTES_PER_WORKSPACE,
  });
  const workspacesOf = async (userId: number) =>
    (await engine.ask('workspaces.workspacesOf', { userId })).workspaceIds;

  const startFlow = async (
    version: VersionToRun,
    { versionId }: Params<'runs.start'>,
    start: RunStart,
  ) => showFlowRun(await starter.startFlow(version, versionId, start));

  const createJob = async (job: Omit<NewBulkJob, 'shareOwner'>, change: ChangeContext) => {
    const { owner: shareOwner } = await engine.owners.ofWorkspace(job.flow.workspaceId);
    const created = await createBulkJob({ ...job, shareOwner }, change);
    bulkWorker.wake();
    return created;
  };

  return {
    name: 'runs',
    mixins: [
      erasures.mixin,
      Changes(runOutboxes, bulkJobOutboxes),
      Sweep(BULK_JOBS_SWEEP_MS, async () => bulkWorker.wake(), IDLE_FACTOR),
    ],
    actions: implement(
      runsContract,
      {
        ...erasures.handlers,
        start: (ctx) => startFlow(ctx.locals.resource, ctx.params, startOf(ctx, changeOf(ctx))),
        startExternal: (ctx) =>
          startFlow(ctx.locals.resource, ctx.params, startOf(ctx, changeOf(ctx))),
        execute: async (ctx) =>
          showExecution(
            await starter.execute(ctx.locals.resource, 'published', startOf(ctx, changeOf(ctx))),
          ),
        executeDraft: async (ctx) =>
          showExecution(
            await starter.execute(ctx.locals.resource, 'draft', startOf(ctx, changeOf(ctx))),
          ),
        startTriggered: (ctx) =>
          startTriggered(ctx.params, changeOf(ctx), {
            starter,
            engine,
            traceparent: ctx.meta.traceparent,
          }),
        listExecutions: ({ params, locals }) => listExecutions(locals.resource, params),
        getExecution: ({ locals }) => showExecution(locals.resource),
        cancelExecution: async (ctx) =>
          showExecution(
            await cancelRun(ctx.locals.resource, changeOf(ctx), engine.cancelListeners),
          ),
        liveExecutions: async ({ params }) => ({ live: await countLiveExecutions(params) }),
        cancelExecutions: ({ params }) => cancelExecutions(params, engine.cancelListeners),
        liveFlowRuns: async ({ params }) => ({ live: await countLiveFlowRuns(params) }),
        cancelFlowRuns: ({ params }) => cancelFlowRuns(params, engine.cancelListeners),
        list: ({ params }) => listRuns(params),
        get: ({ locals }) => showRun(locals.resource),
        listSteps: ({ params }) => listSteps(params),
        getStep: ({ params }) => getStep(params),
        events: ({ params, meta, locals }) => {
          const { 'last-event-id': event = 0 } = params;
          const position = meta.next ? positionOf(meta.next) : { event, n: null };
          return engine.followers.read(locals.resource, position, meta.next !== undefined);
        },
        async cancel(ctx) {
          return showRun(
            await cancelRun(ctx.locals.resource, changeOf(ctx), engine.cancelListeners),
          );
        },
        retry: async (ctx) => {
          const { meta, nodeID } = ctx;
          const change = changeOf(ctx);
          const start = { change, traceparent: meta.traceparent, nodeID };
          return showRun(await starter.retry(ctx.locals.resource._id, ctx.params, start));
        },
        cancelRuns: (ctx) =>
          createJob({ ...ctx.params, kind: 'cancel', flow: ctx.locals.resource }, changeOf(ctx)),
        retryRuns: (ctx) =>
          createJob({ ...ctx.params, kind: 'retry', flow: ctx.locals.resource }, changeOf(ctx)),
        getBulkJob: ({ locals }) => showBulkJob(locals.resource),
        signal: async (ctx) =>
          signalPosts.post(ctx.locals.resource, ctx.params, changeOf(ctx), engine.postListeners),
        async statistics({ params, meta }) {
          const { workspaceId, ...query } = params;
          const workspaceIds = await workspacesToCount(meta.caller, workspaceId, workspacesOf);
          const nameOf = async (id: number) => (await engine.flows.findFlow(id))?.name ?? null;
          return statisticsOf({ ...query, workspaceIds }, nameOf, runningCounts);
        },
        recent: ({ params }) => recentRuns(params),
        backlog: () => getBacklog(),
        listLive: async ({ params }) => ({
          runs: await listLiveRuns(params),
          backlog: await getBacklog(),
        }),
        listStuck: ({ params }) => listStuckRuns(params),
        search: async ({ params }) => ({ runs: await searchRuns(params) }),
        listWorkers: async () => ({ workers: await listLiveWorkers() }),
      },
      {
        flow: (id: number) => engine.flows.findFlow(id),
        versionToRun: (id: number, params: { readonly versionId?: unknown }) =>
          engine.flows.findVersion(id, params),
        run: findRun,
        runWithEvents: findEventRun,
        bulkJob: findBulkJob,
        workflow: (id: number) => engine.workflows.find(id),
        execution: findExecution,
      },
    ),
    events: {
      ...on(userVerified, () => engine.owners.drop()),
      ...on(runReady, ({ nodeID, broker }) => {
        if (nodeID !== broker.nodeID) engine.wake(); // this process has notified its own worker
      }),
      ...on(runEnded, ({ params: { runId } }) => {
        engine.endWaiters.resolveRun(runId);
        engine.followers.wakeRun(runId, true);
      }),
      ...on(runNotified, ({ params }) => engine.notifyRun(params.runId)),
      ...on(runCancelRequested, ({ params }) => engine.cancel(params.runId)),
      // A gateway lets requests end before it stops. Requests that wait for a run must not delay the stop.
      ...on(processStopping, ({ nodeID, broker }) => {
        if (nodeID === broker.nodeID) engine.beginStop();
        else engine.endWaiters.releaseNode(nodeID);
      }),
    },
    created() {
      engine = new Engine(this.broker, quotas);
      starter = new RunStarter(engine, quotas);
      bulkWorker = new BulkWorker({
        retry: (runId, change) =>
          starter.retry(
            runId,
            { runId, from: 'failed', version: 'same' },
            { change, traceparent: undefined, nodeID: null },
          ),
        cancelListeners: engine.cancelListeners,
        retentionDays: environment.RUN_RETENTION_DAYS,
        onError: (error) =>
          this.logger[levelOfFailure(this.broker, error)](
            { err: error },
            'A job of many runs is repeated later',
          ),
      });
    },
    async started() {
      // Beside other processes, which take the calls meanwhile. A process that is alone is ready sooner without.
      const warmed = environment.NATS_URL ? warmSandboxes() : undefined;
      await Promise.all([engine.start(), warmed]);
    },
    async stopped() {
      await bulkWorker.stop();
      await engine.stop();
    },
  };
}

import type { OutboundClient } from '@workspace-automation/outbound-http';
import type { ServiceBroker } from 'moleculer';
import { asSystem, type Caller } from '../../../contract/caller.ts';
import { type EventContract, emit } from '../../../contract/event.ts';
import { isProblem, NotFound } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import { databasePrepared, isDatabaseUp } from '../../../mixins/database/database.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import {
  chargeOwner,
  isCrowding,
  isLighterOwnerActive,
  levelOf,
} from '../../../support/fair-shares/cpu-shares.ts';
import { logger } from '../../../support/logging.ts';
import { createServiceClient } from '../../../support/outbound.ts';
import { sandbox } from '../../../support/sandbox.ts';
import type { Actions } from '../../contracts.ts';
import { recordInPieces } from '../../outgoing-events/record-in-pieces.ts';
import { createShareOwners } from '../../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import { awaitRun } from '../await-run.ts';
import type { CancelListeners } from '../cancel-run.ts';
import { RunFollowers } from '../events/run-followers.ts';
import { getRun } from '../find-run.ts';
import { RunEventPublisher } from '../outgoing/run-event-publisher.ts';
import type { StartQuotas } from '../quotas/start-quotas.ts';
import { runCancelRequested, runEnded, runNotified, runReady } from '../runs.events.ts';
import type { ShownRun } from '../show-run.ts';
import { FlowLookup, type VersionToRun } from '../starts/flow-lookup.ts';
import { Orphans } from '../starts/orphans.ts';
import { type StartTools, storeRun } from '../starts/prepare-run.ts';
import { WorkflowLookup } from '../starts/workflow-lookup.ts';
import { RollupScheduler } from '../statistics/rollup-scheduler.ts';
import { shareOfRun } from './admission/run-share.ts';
import { compileInTurn, validateInTurn } from './check-queues.ts';
import { ChildStarter } from './children/child-starter.ts';
import { Families } from './children/families.ts';
import { logEngineFailure } from './engine-failure.ts';
import { AnswerQueue } from './execution/effects/answer-queue.ts';
import { CallQueue } from './execution/effects/call-queue.ts';
import { readInstallation } from './execution/effects/installation.ts';
import type { EndedRun } from './execution/jobs.ts';
import { PlanCache } from './execution/plan-cache.ts';
import type { NotificationListeners } from './mailbox/notify-run.ts';
import { isFirstWorker, Retention } from './retention.ts';
import type { PostListeners } from '../signals/post-signal.ts';
import { RunEndWaiters } from './run-end-waiters.ts';
import { RunWorker } from './worker.ts';
import { writeInTurn } from './writes/large-writes.ts';
import { retryWhileDatabaseDown } from './writes/retry-while-database-down.ts';

const AS_RUNS = asSystem('runs');

/** The engine of runs in this process: it wires the engine's parts to the broker and the environment. */
export class Engine {
  readonly #logFailure = (error: unknown): void => logEngineFailure(this.#broker, error);
  readonly plans: PlanCache;
  readonly flows: FlowLookup;
  readonly workflows: WorkflowLookup;
  readonly endWaiters = new RunEndWaiters(this.#logFailure);
  readonly followers = new RunFollowers(this.#logFailure);
  readonly owners: ShareOwners;
  /** The tools of the starts of runs. */
  readonly startTools: StartTools;
  readonly cancelListeners: CancelListeners = {
    onEnded: (runId) => {
      this.#families.announceEndOf(runId);
      this.#events.notify(runId);
      this.announce(runEnded, { runId });
    },
    onRequested: (runId) => this.announce(runCancelRequested, { runId }),
  };
  readonly notificationListeners: NotificationListeners = {
    onReady: (runId) => this.announceReady(runId),
    onPermitRequested: (runId) => this.requestPermit(runId),
    onNotified: (runId) => this.announce(runNotified, { runId }),
  };
  readonly postListeners: PostListeners = {
    ...this.notificationListeners,
    wake: (run, writes) => this.#worker.wakeRun(run, writes),
  };
  readonly #broker: ServiceBroker;
  readonly #families: Families;
  readonly #outbound: OutboundClient;
  readonly #rollups = new RollupScheduler(this.#logFailure);
  readonly #events = new RunEventPublisher({
    wanted: async (workspaceIds) => (await this.ask('events.wanted', { workspaceIds })).wanted,
    record: (events) => recordInPieces(events, (entries) => this.ask('events.record', { entries })),
    isSweeper: () => isFirstWorker(this.#worker.id),
    onError: this.#logFailure,
  });
  readonly #orphans = new Orphans({
    findFlow: (id) => this.flows.findFlow(id),
    findWorkflow: (id) => this.workflows.find(id),
    cancelListeners: this.cancelListeners,
    onError: this.#logFailure,
  });
  readonly #worker: RunWorker;
  readonly #retention: Retention;
  readonly #stopping = new AbortController();
  #installation = '';

  constructor(broker: ServiceBroker, quotas: StartQuotas) {
    this.#broker = broker;
    this.owners = createShareOwners(broker, 'runs');
    this.#outbound = createServiceClient();
    this.plans = new PlanCache({
      contentOf: (flowId, versionId) => this.#contentOf(flowId, versionId),
      compile: compileInTurn,
    });
    this.flows = new FlowLookup({
      ask: (name, params) => this.ask(name, params),
      plans: this.plans,
    });
    this.workflows = new WorkflowLookup({ ask: (name, params) => this.ask(name, params) });
    this.startTools = {
      planOf: (source, share, content) => this.plans.planOf(source, share, 'start', content),
      validateInput: validateInTurn,
      findConfiguration: (params) => this.ask('configurations.forRun', params),
    };
    const { cancelListeners, notificationListeners } = this;
    const families = new Families({
      cancelListeners,
      notificationListeners,
      passToParent: (child) => this.#worker.passToParent(child),
      onError: this.#logFailure,
    });
    const children = new ChildStarter({
      findFlowId: async (flow) => (await this.ask('flows.flowIdByName', flow)).flowId,
      findVersion: this.flows.findVersion,
      completeVersion: (version) => this.completeVersion(version),
      store: (run) => this.store(run),
      quotas,
      tools: this.startTools,
    });
    this.#families = families;
    this.#worker = new RunWorker({
      evaluator: {
        evaluate: (request) => sandbox().evaluate(request),
        test: (request) => sandbox().test(request),
      },
      calls: new CallQueue(),
      answers: new AnswerQueue(),
      outbound: this.#outbound,
      connections: {
        prepareCall: (params) => this.ask('connections.prepareCall', params),
        openSecrets: (params) => this.ask('connections.openSecrets', params),
        secretsToMask: (params) => this.ask('connections.secretsToMask', params),
      },
      issues: {
        raise: ({ _id: runId, workspaceId }, params) =>
          this.#call('issues.raise', params, { kind: 'run', runId, workspaceId }),
      },
      assistant: {
        answerPrompt: ({ _id: runId, workspaceId }, params) =>
          this.#call('assistant.answerPrompt', params, { kind: 'run', runId, workspaceId }),
      },
      installation: () => this.#installation,
      children: {
        start: (parent, key, effect) => children.start(parent, key, effect),
        cancel: (child) => families.cancel(child),
        findAbandoned: (runId, awaited) => families.findAbandoned(runId, awaited),
        onError: this.#logFailure,
      },
      sweepFamilies: () => families.sweep(),
      planOf: (source, share, content) => this.plans.planOf(source, share, 'run', content),
      logger,
      concurrency: environment.RUN_CONCURRENCY,
      workspaceConcurrency: environment.WORKSPACE_RUN_CONCURRENCY,
      levelOf,
      isCrowding,
      isPaced: isLighterOwnerActive,
      charge: chargeOwner,
      announceReady: (runId) => this.announce(runReady, { runId }),
      announceEnd: (ended) => this.#announceEnd(ended),
      announceBegin: this.#events.notify,
    });
    this.#retention = new Retention({
      days: environment.RUN_RETENTION_DAYS,
      worker: () => this.#worker.id,
      onError: this.#logFailure,
    });
  }

  /** Begins to claim runs once the database is prepared. Waits for the preparation only while the database is up. */
  async start(): Promise<void> {
    const begun = databasePrepared().then(() => this.#begin());
    begun.catch(this.#logFailure);
    if (await isDatabaseUp()) await begun;
  }

  async #begin(): Promise<void> {
    await retryWhileDatabaseDown(this.#stopping.signal, async () => {
      this.#installation = await readInstallation();
      await this.#worker.start();
    });
    this.#rollups.start();
    this.#events.start();
    this.#retention.start();
  }

  /** Stops claiming runs, and answers the requests that wait for a run. */
  beginStop(): void {
    this.#stopping.abort();
    this.endWaiters.close();
    this.followers.close();
    this.#worker.drain();
  }

  async stop(): Promise<void> {
    this.beginStop();
    await this.#worker.stop();
    await Promise.all([this.#orphans.stop(), this.#families.settle()]);
    await Promise.all([this.#rollups.stop(), this.#events.stop(), this.#retention.stop()]);
    await this.#outbound.close();
  }

  /** Stores a new run, which may begin in this process at once. Returns the stored run. */
  async store(run: RunDocument): Promise<RunDocument> {
    const store = () => this.#worker.store(run, storeRun);
    const stored = await writeInTurn(shareOfRun(run), run.baseBytes ?? 0, store);
    this.#rollups.notify();
    this.#orphans.check(stored);
    return stored;
  }

  /** Returns a stored run, after the wait for its end that the caller wants. */
  async awaitEnd(run: ShownRun, ms = 0, nodeID: string | null = null): Promise<ShownRun> {
    if (!ms || !run.live) return run;
    return awaitRun(run, this.endWaiters.waitForEnd(run._id, ms, nodeID), getRun);
  }

  wake(): void {
    this.#worker.wake();
  }

  /** Announces a run that has become ready, to this process and the others. */
  announceReady(runId: number): void {
    this.#worker.wake();
    this.announce(runReady, { runId });
  }

  /** Offers the permits of a run's flow, because the run waits for one. The worker's sweep repeats an offer that fails. */
  requestPermit(runId: number): void {
    RunModel.findById(runId, { flowId: 1, concurrency: 1 })
      .lean()
      .then((run) => run && this.#worker.requestPermit(run))
      .catch(this.#logFailure);
  }

  /** Passes a notification to the run, if this process executes the run. */
  notifyRun(runId: number): void {
    this.#worker.notifyRun(runId);
  }

  cancel(runId: number): void {
    this.#worker.cancel(runId);
  }

  /** Emits an event to all processes. Polls find the runs of a lost event. */
  announce<P extends object>(event: EventContract<string, P>, payload: NoInfer<P>): void {
    this.#rollups.notify();
    emit(this.#broker, event, payload, AS_RUNS).catch(this.#logFailure);
  }

  /**
   * Announces the end of a run, unless this process stored the run. Requests wait only in the process of the
   * store.
   */
  #announceEnd({ runId, run, isFromHere }: EndedRun): void {
    this.#events.notify(runId);
    if (!run) this.#families.announceEndOf(runId);
    else if (run.familyPending) this.#families.announceEnd(run);
    const isAwaitedHere = this.endWaiters.resolveRun(runId, run);
    if (isAwaitedHere || isFromHere) this.#rollups.notify();
    else this.announce(runEnded, { runId });
  }

  /**
   * Loads a file that the lookup of a start left out, unless its plan is known here. `flows` leaves out long
   * files.
   */
  async completeVersion(version: VersionToRun): Promise<VersionToRun> {
    const { flow, versionId, content } = version;
    const isComplete = versionId === null || content !== undefined;
    if (isComplete || this.plans.has({ flowId: flow.id, versionId })) return version;
    return this.#versionOf(flow.id, versionId);
  }

  #versionOf(flowId: number, versionId: number): Promise<VersionToRun> {
    return this.ask('flows.versionForRun', { flowId, versionId });
  }

  async #contentOf(flowId: number, versionId: number): Promise<string | null> {
    try {
      return (await this.#versionOf(flowId, versionId)).content ?? null;
    } catch (error) {
      if (isProblem(error, NotFound)) return null;
      throw error;
    }
  }

  ask<N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> {
    return this.#call(name, params, AS_RUNS.meta.caller);
  }

  #call<N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
    caller: Caller,
  ): Promise<Actions[N]['result']> {
    const meta = { caller };
    return this.#broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, { meta });
  }
}

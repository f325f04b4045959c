import type { Meta } from '../../../contract/contract-types.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Actions, Params } from '../../contracts.ts';
import { awaitRun } from '../await-run.ts';
import type { Engine } from '../engine/engine.ts';
import { findEarlierRun, getRun } from '../find-run.ts';
import type { StartQuotas } from '../quotas/start-quotas.ts';
import type { ShownRun } from '../show-run.ts';
import type { VersionToRun } from './flow-lookup.ts';
import { type Program, prepareRun, type StartRequest } from './prepare-run.ts';
import { executionProgram, flowProgram } from './programs.ts';
import { getRetriedRun, programOfRetry, startOfRetry } from './retried-run.ts';

/** A request to start a run. */
export interface RunStart
  extends Pick<
      StartRequest,
      'input' | 'configuration' | 'kept' | 'retry' | 'startKey' | 'singletonKey'
    >,
    Pick<Params<'runs.execute'>, 'wait'> {
  change: ChangeContext;
  traceparent: string | undefined;
  /** The node of the gateway that waits for the end. */
  nodeID: string | null;
}

/** The start that a call asks for. */
export const startOf = ({ params, meta, nodeID }: StartCall, change: ChangeContext): RunStart => ({
  input: params.input === undefined ? '{}' : JSON.stringify(params.input),
  configuration: params.configuration,
  wait: params.wait,
  change,
  traceparent: meta.traceparent,
  nodeID,
});

interface StartCall {
  params: Pick<Params<'runs.execute'>, 'input' | 'configuration' | 'wait'>;
  meta: Pick<Meta, 'traceparent'>;
  nodeID: string | null;
}

/** The parts of the engine that starts use. */
export type StartEngine = Pick<
  Engine,
  'awaitEnd' | 'completeVersion' | 'endWaiters' | 'flows' | 'startTools' | 'store' | 'workflows'
> & { owners: Pick<Engine['owners'], 'ofWorkspace'> };

type Workflow = Actions['workflows.workflowsByIds']['result']['workflows'][number];
type FindProgram = () => Promise<Program>;

/** A run that was stored, and its end where the start waits for it. */
interface StartedRun {
  stored: ShownRun;
  ended?: Parameters<typeof awaitRun>[1];
}

/**
 * Starts runs of flows and executions of workflows, and waits for their ends. A request whose earlier attempt has stored
 * the run already goes on with that run.
 */
export class RunStarter {
  readonly #engine: StartEngine;
  readonly #quotas: StartQuotas;

  constructor(engine: StartEngine, quotas: StartQuotas) {
    this.#engine = engine;
    this.#quotas = quotas;
  }

  /** Starts a run of a flow. `versionId` is the version that the request names. A flow that is deleted has none. */
  startFlow(
    version: VersionToRun,
    versionId: number | null | undefined,
    start: RunStart,
  ): Promise<ShownRun> {
    return this.#start(
      async () => flowProgram(await this.#engine.completeVersion(version), versionId),
      start,
    );
  }

  /** Starts an execution of the published steps, or of the steps of the branch. A workflow that is deleted has none. */
  execute(workflow: Workflow, steps: 'published' | 'draft', start: RunStart): Promise<ShownRun> {
    const { workflows } = this.#engine;
    return this.#start(() => executionProgram(workflow, (id) => workflows[steps](id)), start);
  }

  /** Starts a run that retries an ended run. */
  async retry(
    runId: number,
    params: Params<'runs.retry'>,
    start: Pick<RunStart, 'change' | 'traceparent' | 'nodeID'>,
  ): Promise<ShownRun> {
    const run = await getRetriedRun(runId);
    return this.#start(() => programOfRetry(run, params.version, this.#engine), {
      ...start,
      ...startOfRetry(run, params),
      wait: undefined,
    });
  }

  async #start(findProgram: FindProgram, start: RunStart): Promise<ShownRun> {
    const { wait, nodeID, change } = start;
    const goOnWith = (run: ShownRun) => this.#engine.awaitEnd(run, wait, nodeID);
    const earlier = await findEarlierRun(change.reservedId);
    if (earlier) return goOnWith(earlier);
    let started: StartedRun;
    try {
      started = await this.#storeNew(findProgram, start);
    } catch (error) {
      // Another attempt may have stored the run meanwhile, and with it have taken the id or the last place of a quota.
      const stored = await findEarlierRun(change.reservedId);
      if (!stored) throw error;
      return goOnWith(stored);
    }
    const { stored, ended } = started;
    return ended ? awaitRun(stored, ended, getRun) : stored;
  }

  async #storeNew(
    findProgram: FindProgram,
    { wait, nodeID, change, ...order }: RunStart,
  ): Promise<StartedRun> {
    const program = await findProgram();
    const share = await this.#engine.owners.ofWorkspace(program.workspaceId);
    const run = await prepareRun(program, { ...order, share, change }, this.#engine.startTools);
    const store = () => this.#engine.store(run);
    if (!wait) return { stored: await this.#quotas.store(run, store) };
    const awaited = { runId: run._id, ms: wait, nodeID };
    return this.#quotas.store(run, () => this.#engine.endWaiters.storeAndWait(awaited, store));
  }
}

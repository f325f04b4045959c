import { pagesOf } from '../../../helpers/pages.ts';
import { createWorkspace } from '../../../helpers/people.ts';
import { createFlow, endOf, getRun } from '../../../helpers/runs.ts';
import {
  type Fault,
  faultsOfCalls,
  faultsOfKeys,
  faultsOfStatistics,
  type StartedRun,
} from '../../checks.ts';
import { ATTENDED_FLOWS, FAULT_FLOWS } from '../../flows.ts';
import type { System } from '../../../helpers/system.ts';
import { postOnce } from '../clients.ts';
import type { Stage } from '../scenario.ts';
import { faultsOfOutcome, outcomeOf } from './outcome.ts';
import { StoredRuns } from './stored-runs.ts';
import { Target } from './target.ts';
import type { StoredFlow } from './traffic.ts';

const UNDISTURBED = 'undisturbed';
/** Rounds in one workspace. The list of recent runs, which is compared with statistics, ends after 10,000 runs. */
const ROUNDS_OF_WORKSPACE = 75;

const worlds = new WeakMap<System, Promise<RunWorld>>();

/** The flows of a workspace, the target that they call, and the outcome of each flow without any fault. */
export class RunWorld {
  readonly stage: Stage;
  readonly target: Target;
  readonly stored: StoredRuns;
  readonly flows: StoredFlow[] = [];
  readonly #outcomes = new Map<string, string>();
  #rounds = 0;

  private constructor(stage: Stage, target: Target) {
    this.stage = stage;
    this.target = target;
    this.stored = new StoredRuns(stage.system.uri);
  }

  /** The world of a system, which all scenarios of runs share. */
  static of(stage: Stage): Promise<RunWorld> {
    const known = worlds.get(stage.system) ?? RunWorld.#start(stage);
    worlds.set(stage.system, known);
    return known;
  }

  static async #start(stage: Stage): Promise<RunWorld> {
    const world = new RunWorld(stage, await Target.start());
    stage.system.atEnd(async () => {
      world.target.stop();
      await world.stored.close();
    });
    await world.#runUndisturbed();
    return world;
  }

  /** Forgets the calls so far. Goes on in another workspace, with the same flows, after so many rounds. */
  async begin(): Promise<void> {
    this.target.calls = [];
    if (++this.#rounds % ROUNDS_OF_WORKSPACE > 0) return;
    this.stage.workspaceId = await createWorkspace(this.stage.owner);
    this.flows.length = 0;
    await this.#runUndisturbed();
  }

  /** Stores the flows, and runs each of them once before any fault. */
  async #runUndisturbed(): Promise<void> {
    const { owner, workspaceId } = this.stage;
    for (const flow of [...FAULT_FLOWS, ...ATTENDED_FLOWS]) {
      const id = await createFlow(owner, workspaceId, flow.content(this.target.url), flow.name);
      this.flows.push({ ...flow, id });
    }
    await Promise.all(this.flows.map((flow) => this.#noteOutcome(flow)));
  }

  async #noteOutcome(flow: StoredFlow): Promise<void> {
    const { owner } = this.stage;
    const tag = `${UNDISTURBED}-${flow.name}`;
    const order = { key: `${tag}-${flow.id}`, body: { input: { tag } } };
    const { id } = await postOnce<{ id: number }>(owner, [202], `/flows/${flow.id}/runs`, order);
    for (const name of flow.signals ?? []) {
      await owner.call('POST', `/flows/runs/${id}/signals/${name}`, { body: { tag, name } });
    }
    const end = await endOf(owner, id);
    if (end.status !== flow.status) throw new Error(`${flow.name} ended undisturbed ${end.status}`);
    this.#outcomes.set(flow.name, await outcomeOf(owner, end, tag));
  }

  /**
   * Waits until everything is quiet and compares it with what must be.
   * @param repeats how often a fault may have made a call under way be sent again
   */
  async faultsOf(started: readonly StartedRun[], repeats: number): Promise<Fault[]> {
    const { system, owner, workspaceId } = this.stage;
    await this.#signalUnacknowledged(started);
    const faults = await this.stored.faultsOfLife();
    for (const run of started) {
      const end = await getRun(owner, run.id);
      faults.push(...(await faultsOfOutcome(owner, run, end, this.#outcomes.get(run.flow.name))));
      faults.push(...faultsOfCalls(run, this.target.calls, repeats));
      faults.push(...faultsOfKeys(run, this.target.calls));
    }
    faults.push(...(await this.stored.faultsOfPlaces(system.workers.map(({ pid }) => pid))));
    faults.push(...(await this.stored.faultsOfJournals(started.map(({ id }) => id))));
    faults.push(...(await this.#faultsOfIssues(started)), ...this.target.faultsOfLimits());
    faults.push(...(await faultsOfStatistics(owner, workspaceId)));
    return faults;
  }

  /** Posts the signals of runs whose start was never acknowledged: nobody else knows of these runs. */
  async #signalUnacknowledged(started: readonly StartedRun[]): Promise<void> {
    const acknowledged = new Set(started.map(({ id }) => id));
    for (const { id: flowId, signals = [] } of this.flows.filter((flow) => flow.signals)) {
      const live = await this.stored.liveOf(flowId);
      for (const { _id } of live.filter((run) => !acknowledged.has(run._id))) {
        for (const name of signals)
          await this.stage.owner.call('POST', `/flows/runs/${_id}/signals/${name}`);
      }
    }
  }

  async #faultsOfIssues(started: readonly StartedRun[]): Promise<Fault[]> {
    const path = `/workspaces/${this.stage.workspaceId}/issues?limit=100`;
    const pages = await pagesOf<{ title: string }>(this.stage.owner, path);
    const raised = Map.groupBy(pages.flat(), ({ title }) => title);
    return started.flatMap(({ id, tag, flow }) => {
      const count = raised.get(tag)?.length ?? 0;
      return count === (flow.issues ?? 0) ? [] : [`run ${id} raised ${count} issues`];
    });
  }
}

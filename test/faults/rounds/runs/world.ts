import { pagesOf } from '../../../helpers/pages.ts';
import { createWorkspace, type Person } from '../../../helpers/people.ts';
import { createFlow, endOf, getRun, startRun } from '../../../helpers/runs.ts';
import { dataFolder } from '../../../helpers/server.ts';
import { CORE } from '../../../helpers/spread.ts';
import {
  type Fault,
  faultsOfCalls,
  faultsOfKeys,
  faultsOfStatistics,
  type StartedRun,
} from '../../checks.ts';
import { ATTENDED_FLOWS, FAULT_FLOWS } from '../../flows.ts';
import { System, WORKER } from '../../system.ts';
import { RoundPerson } from '../round-person.ts';
import { ROUND_ENV } from '../round-world.ts';
import { faultsOfOutcome, outcomeOf } from './outcome.ts';
import { StoredRuns } from './stored-runs.ts';
import { Target } from './target.ts';
import type { StoredFlow } from './traffic.ts';

const ENV = {
  ...ROUND_ENV,
  RUN_CONCURRENCY: '6', // few slots: a slot that leaks is missed soon
};
const KINDS_OF_WORLD = ['api', CORE, WORKER, WORKER];
const UNDISTURBED = 'undisturbed';

/** A system with a workspace of flows, the target that they call, and the outcome of each flow without any fault. */
export class World {
  readonly system: System;
  readonly target: Target;
  readonly owner: RoundPerson;
  workspaceId: number;
  readonly stored: StoredRuns;
  readonly flows: StoredFlow[] = [];
  readonly #outcomes = new Map<string, string>();

  private constructor(
    fields: Pick<World, 'system' | 'target' | 'owner' | 'workspaceId' | 'stored'>,
  ) {
    ({
      system: this.system,
      target: this.target,
      owner: this.owner,
      workspaceId: this.workspaceId,
      stored: this.stored,
    } = fields);
  }

  get ada(): Person {
    return this.owner.person;
  }

  static async start(): Promise<World> {
    const system = await System.start(dataFolder(), ENV, KINDS_OF_WORLD);
    const owner = await RoundPerson.register(system);
    const world = new World({
      system,
      owner,
      target: await Target.start(),
      workspaceId: await createWorkspace(owner.person),
      stored: new StoredRuns(system.ground.database.uri),
    });
    await world.#runUndisturbed();
    return world;
  }

  async stop(): Promise<void> {
    this.target.stop();
    await this.stored.close();
  }

  /** Goes on in another workspace, with the same flows. */
  async changeWorkspace(): Promise<void> {
    this.workspaceId = await createWorkspace(this.ada);
    this.flows.length = 0;
    await this.#runUndisturbed();
  }

  /** Stores the flows, and runs each of them once before any fault. */
  async #runUndisturbed(): Promise<void> {
    for (const flow of [...FAULT_FLOWS, ...ATTENDED_FLOWS]) {
      const id = await createFlow(
        this.ada,
        this.workspaceId,
        flow.content(this.target.url),
        flow.name,
      );
      this.flows.push({ ...flow, id });
    }
    await Promise.all(this.flows.map((flow) => this.#noteOutcome(flow)));
  }

  async #noteOutcome(flow: StoredFlow): Promise<void> {
    const tag = `${UNDISTURBED}-${flow.name}`;
    const { id } = (await startRun(this.ada, flow.id, { input: { tag } })).body;
    for (const name of flow.signals ?? []) {
      await this.ada.call('POST', `/flows/runs/${id}/signals/${name}`, { body: { tag, name } });
    }
    const end = await endOf(this.ada, id);
    if (end.status !== flow.status) throw new Error(`${flow.name} ended undisturbed ${end.status}`);
    this.#outcomes.set(flow.name, await outcomeOf(this.ada, end, tag));
  }

  /**
   * Waits until everything is quiet and compares it with what must be.
   * @param repeats how often a fault may have made a call under way be sent again
   */
  async faultsOf(started: readonly StartedRun[], repeats: number): Promise<Fault[]> {
    await this.system.untilReady();
    await this.#signalUnacknowledged(started);
    const faults = await this.stored.faultsOfLife();
    for (const run of started) {
      const end = await getRun(this.ada, run.id);
      faults.push(
        ...(await faultsOfOutcome(this.ada, run, end, this.#outcomes.get(run.flow.name))),
      );
      faults.push(...faultsOfCalls(run, this.target.calls, repeats));
      faults.push(...faultsOfKeys(run, this.target.calls));
    }
    const pids = this.system.processesOf(WORKER).map(({ pid }) => pid);
    faults.push(...(await this.stored.faultsOfPlaces(pids)));
    faults.push(...(await this.stored.faultsOfJournals(started.map(({ id }) => id))));
    faults.push(...(await this.#faultsOfIssues(started)));
    faults.push(...(await faultsOfStatistics(this.ada, this.workspaceId)));
    return faults;
  }

  /** Posts the signals of runs whose start was never acknowledged: nobody else knows of these runs. */
  async #signalUnacknowledged(started: readonly StartedRun[]): Promise<void> {
    const acknowledged = new Set(started.map(({ id }) => id));
    for (const { id: flowId, signals = [] } of this.flows.filter((flow) => flow.signals)) {
      const live = await this.stored.liveOf(flowId);
      for (const { _id } of live.filter((run) => !acknowledged.has(run._id))) {
        for (const name of signals)
          await this.ada.call('POST', `/flows/runs/${_id}/signals/${name}`);
      }
    }
  }

  async #faultsOfIssues(started: readonly StartedRun[]): Promise<Fault[]> {
    const path = `/workspaces/${this.workspaceId}/issues?limit=100`;
    const pages = await pagesOf<{ title: string }>(this.ada, path);
    const raised = Map.groupBy(pages.flat(), ({ title }) => title);
    return started.flatMap(({ id, tag, flow }) => {
      const count = raised.get(tag)?.length ?? 0;
      return count === (flow.issues ?? 0) ? [] : [`run ${id} raised ${count} issues`];
    });
  }
}

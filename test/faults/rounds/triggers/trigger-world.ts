import { createWorkspace } from '../../../helpers/people.ts';
import { createFlow } from '../../../helpers/runs.ts';
import { StoredSchedules } from '../../../helpers/schedules.ts';
import { dataFolder } from '../../../helpers/server.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import { randomOf } from '../../random.ts';
import { System, WORKER } from '../../system.ts';
import { Clients } from '../clients.ts';
import { type KillPlan, killAtRandom, killDatabase, killNats, killOf } from '../kills.ts';
import { RoundPerson } from '../round-person.ts';
import { ROUND_ENV, type RoundEnd, type RoundWorld } from '../round-world.ts';
import { StoredRuns } from '../runs/stored-runs.ts';
import { Target } from '../runs/target.ts';
import { DueSchedules } from './due-schedules.ts';
import { createHooks, type Hook, HookCalls } from './hook-calls.ts';
import { RunSpans } from './run-spans.ts';
import { StartedByTriggers } from './started-by-triggers.ts';

const TRIGGERS = 'triggers';
const CORE = servicesExcept('api', 'triggers', 'flows', 'runs');
const KINDS = ['api', CORE, TRIGGERS, TRIGGERS, WORKER, WORKER];
/** The flow of the webhooks. */
const HOOK_FLOW = 'do:\n  - rest: { wait: { milliseconds: 300 } }\n';
const HOOK_CLIENTS = 3;

const PLAN: KillPlan = {
  kills: {
    triggers: [6, killOf(TRIGGERS)],
    worker: [2, killOf(WORKER)],
    gateway: [1, killOf('api')],
    database: [1, killDatabase],
    nats: [1, killNats],
  },
  count: 1,
  longestPauseMs: 1_800,
};
/** The parts of the schedules of a round that become due one after another, a kill after each. */
const PARTS = 3;

/** Schedules and webhooks of which processes are killed: each occurrence and each request makes one run. */
export class TriggerWorld implements RoundWorld {
  readonly #system: System;
  readonly #owner: RoundPerson;
  /** The flow of the schedules, whose runs call the target. */
  readonly #flowId: number;
  readonly #target: Target;
  readonly #hooks: readonly Hook[];
  readonly #schedules: StoredSchedules;
  readonly #runs: StoredRuns;

  private constructor(
    system: System,
    owner: RoundPerson,
    flow: { flowId: number; target: Target; hooks: readonly Hook[] },
    stored: { schedules: StoredSchedules; runs: StoredRuns },
  ) {
    this.#system = system;
    this.#owner = owner;
    this.#flowId = flow.flowId;
    this.#target = flow.target;
    this.#hooks = flow.hooks;
    this.#schedules = stored.schedules;
    this.#runs = stored.runs;
  }

  static async start(): Promise<TriggerWorld> {
    const system = await System.start(dataFolder(), ROUND_ENV, KINDS);
    const owner = await RoundPerson.register(system);
    const { uri } = system.ground.database;
    const workspaceId = await createWorkspace(owner.person);
    const target = await Target.start();
    const flowId = await createFlow(owner.person, workspaceId, RunSpans.flowOf(target.url));
    const stored = { schedules: await StoredSchedules.connect(uri), runs: new StoredRuns(uri) };
    const hookFlowId = await createFlow(owner.person, workspaceId, HOOK_FLOW);
    const hooks = await createHooks(owner.person, hookFlowId);
    return new TriggerWorld(system, owner, { flowId, target, hooks }, stored);
  }

  async stop(): Promise<void> {
    this.#target.stop();
    await Promise.all([this.#schedules.close(), this.#runs.close()]);
  }

  async play(name: string, random: () => number): Promise<RoundEnd> {
    await this.#owner.renewToken();
    const { person } = this.#owner;
    this.#target.calls = [];
    const due = await DueSchedules.create(person, this.#flowId, this.#schedules, name);
    const calls = new HookCalls(person, this.#hooks, name, randomOf(random() * 2 ** 32));
    const clients = new Clients(Array.from({ length: HOOK_CLIENTS }, () => calls.client));
    const killed: string[] = [];
    for (let part = 0; part < PARTS; part++) {
      await due.makeDue(part, PARTS);
      killed.push(...(await killAtRandom(this.#system, random, PLAN)));
    }
    const faults = await clients.stop();
    await this.#system.untilReady();
    faults.push(...(await due.faultsOfEnd()), ...(await this.#runs.faultsOfLife()));
    const started = await StartedByTriggers.read(this.#schedules.client);
    const spans = new RunSpans(this.#target.calls);
    faults.push(...due.faultsOf(started, spans), ...calls.faultsOf(started));
    await due.remove();
    return {
      happened: `killed ${killed.join(', ')}`,
      load: `${due.size} occurrences, ${calls.size} requests`,
      faults,
    };
  }
}

import { createWorkspace } from '../../../helpers/people.ts';
import { dataFolder } from '../../../helpers/server.ts';
import { servicesExcept } from '../../../helpers/spread.ts';
import { randomOf } from '../../random.ts';
import { System } from '../../system.ts';
import { Clients } from '../clients.ts';
import { type KillPlan, killAtRandom, killDatabase, killOf } from '../kills.ts';
import { RoundPerson } from '../round-person.ts';
import { ROUND_ENV, type RoundEnd, type RoundWorld } from '../round-world.ts';
import { RestoredFlow } from './restored-flow.ts';
import { Restores } from './restores.ts';

const FLOWS = 'flows';
const CORE = servicesExcept('api', FLOWS);
const KINDS = ['api', CORE, FLOWS, FLOWS];
/** Clients that restore versions of one flow: a restore of another comes between a killed restore and its repetition. */
const CLIENTS = 4;

const PLAN: KillPlan = {
  kills: { flows: [12, killOf(FLOWS)], gateway: [1, killOf('api')], database: [1, killDatabase] },
  count: 3,
  longestPauseMs: 700,
};

/** Restores of versions, while the processes that store them are killed. */
export class RestoreWorld implements RoundWorld {
  readonly #system: System;
  readonly #owner: RoundPerson;
  readonly #workspaceId: number;

  private constructor(system: System, owner: RoundPerson, workspaceId: number) {
    this.#system = system;
    this.#owner = owner;
    this.#workspaceId = workspaceId;
  }

  static async start(): Promise<RestoreWorld> {
    const system = await System.start(dataFolder(), ROUND_ENV, KINDS);
    const owner = await RoundPerson.register(system);
    return new RestoreWorld(system, owner, await createWorkspace(owner.person));
  }

  async stop(): Promise<void> {}

  async play(_name: string, random: () => number): Promise<RoundEnd> {
    await this.#owner.renewToken();
    const { person } = this.#owner;
    const flow = await RestoredFlow.create(person, this.#workspaceId);
    const restores = new Restores(person, flow, randomOf(random() * 2 ** 32));
    const clients = new Clients(Array.from({ length: CLIENTS }, () => restores.client));
    const killed = await killAtRandom(this.#system, random, PLAN);
    const faults = await clients.stop();
    await this.#system.untilReady();
    const versions = await flow.readVersions(person, this.#system.ground.database.uri);
    faults.push(...restores.faultsOf(versions));
    return { happened: `killed ${killed.join(', ')}`, load: `${restores.size} restores`, faults };
  }
}

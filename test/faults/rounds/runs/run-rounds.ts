import { randomOf } from '../../random.ts';
import type { RoundEnd, RoundWorld } from '../round-world.ts';
import type { Scenario } from './scenarios.ts';
import { Traffic } from './traffic.ts';
import { World } from './world.ts';

/** Rounds in one workspace. The list of recent runs, which is compared with statistics, ends after 10,000 runs. */
const ROUNDS_OF_WORKSPACE = 75;

/** The rounds of a scenario under a load of runs. */
export class RunRounds implements RoundWorld {
  readonly #world: World;
  readonly #scenario: Scenario;
  #rounds = 0;

  private constructor(world: World, scenario: Scenario) {
    this.#world = world;
    this.#scenario = scenario;
  }

  static async start(scenario: Scenario): Promise<RunRounds> {
    return new RunRounds(await World.start(), scenario);
  }

  stop(): Promise<void> {
    return this.#world.stop();
  }

  async play(name: string, random: () => number): Promise<RoundEnd> {
    const world = this.#world;
    const { pace, play, repeats } = this.#scenario;
    if (++this.#rounds % ROUNDS_OF_WORKSPACE === 0) await world.changeWorkspace();
    world.target.calls = [];
    await world.owner.renewToken();
    const traffic = new Traffic(world.ada, world.flows, name, randomOf(random() * 2 ** 32), pace);
    const [happened, faults] = await play(world, random, traffic);
    await world.system.untilReady();
    await traffic.stop();
    faults.push(...(await world.faultsOf(traffic.started, repeats)));
    return { happened, load: `${traffic.started.length} runs`, faults };
  }
}

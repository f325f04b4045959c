import type { Fault } from '../checks.ts';
import { randomOf } from '../random.ts';
import type { Rounds, Scenario } from './scenario.ts';
import { Stages } from './stages.ts';

export interface RoundsPlan {
  /** Rounds of each scenario. */
  rounds: number;
  seed: number;
  /** Scenarios that are played at once. */
  lanes: number;
  /** Is told of each round. */
  say: (line: string) => void;
}

/**
 * Plays scenarios in their order, several at once. `ends` has the faults of each, once its rounds are over, and `over`
 * resolves when nothing runs any more. An error ends the rounds of its scenario, and is a fault.
 */
export function playScenarios(
  scenarios: ReadonlyMap<string, Scenario>,
  plan: RoundsPlan,
): { ends: ReadonlyMap<string, Promise<Fault[]>>; over: Promise<void> } {
  const stages = new Stages();
  const ends = new Map(
    [...scenarios.keys()].map((name) => [name, Promise.withResolvers<Fault[]>()]),
  );
  const inTurn = scenarios.entries();
  const lane = async () => {
    for (const [name, scenario] of inTurn) {
      const faults = await playScenario(stages, name, scenario, plan).catch((error: Error) => {
        plan.say(`${name}: ${error.stack}`);
        return [error.message];
      });
      ends.get(name)?.resolve(faults);
    }
  };
  const over = Promise.all(Array.from({ length: plan.lanes }, lane)).then(() => stages.stop());
  return { ends: new Map([...ends].map(([name, { promise }]) => [name, promise])), over };
}

async function playScenario(
  stages: Stages,
  name: string,
  { kinds, prepare, changesSystem = false }: Scenario,
  { rounds, seed, say }: RoundsPlan,
): Promise<Fault[]> {
  const stage = await stages.take(kinds);
  let load: Rounds | undefined;
  let isWell = false;
  try {
    load = await prepare(stage);
    const random = randomOf(seed);
    const all: Fault[] = [];
    for (let round = 1; round <= rounds; round++) {
      await stages.renewToken(stage.owner);
      const end = await load.play(`${name}${round}`, random);
      say(`${name}${round}: ${end.happened}; ${end.load}, ${end.faults.length} faults`);
      for (const fault of end.faults) say(`  ${fault}`);
      all.push(...end.faults);
    }
    isWell = all.length === 0;
    return all;
  } finally {
    await load?.stop?.();
    if (isWell && !changesSystem) stages.leave(kinds, stage);
    else await stage.system.kill();
  }
}

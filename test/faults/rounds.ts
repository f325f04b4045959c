/**
 * Rounds of faults of each kind under load: `node test/faults/rounds.ts [--only database30,stop,database8,clocks,kill,
 * handover,database1,sandbox] [--rounds 10] [--seed 1]`. After each round every acknowledged run has the
 * outcome of an undisturbed one, no journalled call was repeated, nothing is held, and statistics equal a recount.
 */
import { parseArgs } from 'node:util';
import { stopServers } from '../helpers/server.ts';
import { randomOf } from './random.ts';
import { SCENARIOS, type Scenario } from './rounds/scenarios.ts';
import { Traffic } from './rounds/traffic.ts';
import { World } from './rounds/world.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(SCENARIOS).join() },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '3' },
  },
});
/** Rounds in one workspace. The list of recent runs, which is compared with statistics, ends after 10,000 runs. */
const ROUNDS_OF_WORKSPACE = 75;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const totals = { passed: 0, failed: 0 };
const names = values.only.split(',');

say(`seed ${values.seed}, ${values.rounds} rounds of each of ${names}`);
try {
  const inTurn = names[Symbol.iterator]();
  const lane = async () => {
    for (const name of inTurn) await playScenario(name);
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
} finally {
  await stopServers();
}
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed ? 1 : 0;

async function playScenario(name: string): Promise<void> {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Error(`${name} is none of ${Object.keys(SCENARIOS)}`);
  const world = await World.start();
  const random = randomOf(Number(values.seed));
  for (let round = 1; round <= Number(values.rounds); round++) {
    if (round % ROUNDS_OF_WORKSPACE === 0) await world.changeWorkspace();
    await playRound(world, scenario, `${name}${round}`, random);
  }
  await world.stop();
}

async function playRound(world: World, scenario: Scenario, name: string, random: () => number) {
  world.target.calls = [];
  await world.renewToken();
  const traffic = new Traffic(
    world.ada,
    world.flows,
    name,
    randomOf(random() * 2 ** 32),
    scenario.pace,
  );
  const [happened, faults] = await scenario.play(world, random, traffic);
  await world.system.untilReady();
  await traffic.stop();
  faults.push(...(await world.faultsOf(traffic.started, scenario.repeats)));
  totals[faults.length ? 'failed' : 'passed']++;
  say(`${name}: ${happened}; ${traffic.started.length} runs, ${faults.length} faults`);
  for (const fault of faults) say(`  ${fault}`);
}

/**
 * Rounds of faults of each kind under load: `node test/faults/rounds.ts [--only deliveries,triggers,restores,
 * database30,stop,database8,clocks,kill,handover,database1,sandbox] [--rounds 10] [--seed 1] [--lanes 3]`. Nothing acknowledged is lost
 * and nothing is done twice. After each round of
 * - `deliveries` each subscription has got the event of every change, the events of a resource in their order;
 * - `triggers` each occurrence of a schedule and each request to a webhook has made one run;
 * - `restores` each acknowledged restore of a version is one version, in the order of the answers;
 * - any other kind every acknowledged run has the outcome of an undisturbed one, no journalled call was repeated, nothing
 *   is held, and statistics equal a recount.
 */
import { parseArgs } from 'node:util';
import { stopServers } from '../helpers/server.ts';
import { randomOf } from './random.ts';
import { ROUND_KINDS } from './rounds/kinds.ts';
import type { RoundWorld } from './rounds/round-world.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(ROUND_KINDS).join() },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '3' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const totals = { passed: 0, failed: 0 };
const names = values.only.split(',');

say(`seed ${values.seed}, ${values.rounds} rounds of each of ${names}`);
try {
  const inTurn = names[Symbol.iterator]();
  const lane = async () => {
    for (const name of inTurn) await playKind(name);
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
} finally {
  await stopServers();
}
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed ? 1 : 0;

async function playKind(name: string): Promise<void> {
  const startWorld = ROUND_KINDS[name];
  if (!startWorld) throw new Error(`${name} is none of ${Object.keys(ROUND_KINDS)}`);
  const world = await startWorld();
  const random = randomOf(Number(values.seed));
  for (let round = 1; round <= Number(values.rounds); round++) {
    await playRound(world, `${name}${round}`, random);
  }
  await world.stop();
}

async function playRound(world: RoundWorld, name: string, random: () => number): Promise<void> {
  const { happened, load, faults } = await world.play(name, random);
  totals[faults.length ? 'failed' : 'passed']++;
  say(`${name}: ${happened}; ${load}, ${faults.length} faults`);
  for (const fault of faults) say(`  ${fault}`);
}

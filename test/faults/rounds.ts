/**
 * Rounds of faults under load: `npm run test:rounds -- [--only triggers,kill] [--rounds 10] [--seed 1] [--lanes 4]
 * [--shard 1/4]`. The scenarios and what holds after each round stand in `rounds/table.ts`; a seed gives the same faults
 * again. `test/nats/rounds.test.ts` plays one round of each.
 */
import { parseArgs } from 'node:util';
import { stopServers } from '../helpers/server.ts';
import { shardOf } from './choice.ts';
import { playScenarios } from './rounds/runner.ts';
import { SCENARIOS } from './rounds/table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: [...SCENARIOS.keys()].join() },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
    shard: { type: 'string', default: '1/1' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const unknown = values.only.split(',').find((name) => !SCENARIOS.has(name));
if (unknown) throw new Error(`${unknown} is none of ${[...SCENARIOS.keys()]}`);
const named = [...SCENARIOS].filter(([name]) => values.only.split(',').includes(name));
const chosen = new Map(shardOf(named, values.shard));

say(`seed ${values.seed}, ${values.rounds} rounds of each of ${[...chosen.keys()]}`);
const [rounds, seed, lanes] = [values.rounds, values.seed, values.lanes].map(Number) as [
  number,
  number,
  number,
];
const { ends, over } = playScenarios(chosen, { rounds, seed, lanes, say });
await over;
await stopServers();
const faults = await Promise.all(ends.values());
const failed = faults.filter(({ length }) => length > 0).length;
say(`${faults.length - failed} passed, ${failed} failed`);
process.exitCode = failed || !faults.length ? 1 : 0;

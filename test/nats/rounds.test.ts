import { playScenarios } from '../faults/rounds/runner.ts';
import { SCENARIOS } from '../faults/rounds/table.ts';
import { stopServers } from '../helpers/server.ts';

/** Of the moments of the faults. `npm run test:rounds` plays more rounds, by any seed. */
const SEED = Number(process.env.SEED ?? 1);
/** Scenarios at once: mostly they wait. */
const LANES = 3;

let playing: ReturnType<typeof playScenarios>;
const lines: string[] = [];

beforeAll(() => {
  const say = (line: string) => void lines.push(line);
  playing = playScenarios(SCENARIOS, { rounds: 1, seed: SEED, lanes: LANES, say });
});
afterAll(async () => {
  await playing.over;
  await stopServers();
}, 600_000);

test.each([...SCENARIOS].map(([name, { promise }]) => ({ name, promise })))(
  `after a round of $name, $promise (seed ${SEED})`,
  async ({ name }) => {
    const faults = await playing.ends.get(name);
    const told = lines.filter((line) => line.startsWith(`${name}1`));
    expect([told, faults]).toEqual([told, []]);
  },
  600_000,
);

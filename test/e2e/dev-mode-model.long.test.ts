import { stopServers } from '../helpers/server.ts';
import { assertModel, makeTeam } from './dev-mode-model/model-property.ts';

afterAll(stopServers);

/** A new seed for each run of the tests; a failure names it. */
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);

test('long sequences of three people do what a simple model says', async () => {
  const team = await makeTeam();
  await assertModel(team, { seed: SEED, numRuns: 40, length: 40 });
}, 300_000);

import { stopServers } from '../helpers/server.ts';
import { assertModel, makeTeam } from './dev-mode-model/model-property.ts';

afterAll(stopServers);

test('edits, deletions, publications and discards by three people do what a simple model says', async () => {
  const team = await makeTeam();
  await assertModel(team, { seed: 20_261_123, numRuns: 5, length: 25 });
}, 120_000);

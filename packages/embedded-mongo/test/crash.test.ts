import { Acknowledged, crashRound } from './crash.ts';
import { temporaryFolder } from './helper.ts';

it('loses nothing acknowledged when it is killed under eight writers', async () => {
  const { folder, remove } = temporaryFolder();
  const known = new Acknowledged();
  for (const seed of [11, 12, 13]) {
    expect(await crashRound(folder, seed, known)).toBeGreaterThan(0);
  }
  remove();
});

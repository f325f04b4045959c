import { InstallationModel } from '../../../models/installation.model.ts';
import { readInstallation } from '../../../services/runs/engine/execution/effects/installation.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';

useEmptyDatabase([InstallationModel]);

test('processes that start together on a new database agree on its name, which stays', async () => {
  const names = await Promise.all(Array.from({ length: 8 }, readInstallation));
  expect(names[0]).toMatch(/^[a-z2-7]{12}$/);
  expect(new Set([...names, await readInstallation()]).size).toBe(1);
});

test('a database that was emptied has another name', async () => {
  const before = await readInstallation();
  await InstallationModel.deleteMany();
  expect(await readInstallation()).not.toBe(before);
});

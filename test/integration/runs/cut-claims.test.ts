import { RunModel } from '../../../models/run.model.ts';
import { claimRuns } from '../../../services/runs/engine/claims/claim-commands.ts';
import { CUTS, CuttingProxy } from '../../helpers/cutting-proxy.ts';
import { startTestDatabase, type TestDatabase } from '../../helpers/database.ts';
import { queueRun, RUN_MODELS } from './engine.ts';

let proxy: CuttingProxy;
let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase(RUN_MODELS, async (uri) => {
    proxy = await CuttingProxy.start(uri);
    return proxy.uri;
  });
});
afterAll(async () => {
  await database.end();
  await proxy.stop();
});

test('a claim that is late when its connection is cut leaves the runs ready', async () => {
  const ready = await Promise.all([1, 2].map((workspaceId) => queueRun({ workspaceId })));
  let calls = 0;
  const now = () => 5_000 * calls++;
  proxy.order({ at: 1, lost: 'command', lasting: false, counts: (name) => name === 'update' });
  const claimed = claimRuns(
    ready.map(({ _id }) => _id),
    'me',
    now,
  );
  await expect(claimed).rejects.toThrow();
  await proxy.end();
  expect(await RunModel.countDocuments({ ready: true })).toBe(2);
});

test.each(CUTS.flatMap((lost) => ['update', 'find'].map((command) => [lost, command] as const)))(
  'claims that are made together survive a cut that loses the %s of their %s',
  async (lost, command) => {
    const ready = await Promise.all([1, 2, 3].map((workspaceId) => queueRun({ workspaceId })));
    const ids = ready.map(({ _id }) => _id).reverse();
    proxy.order({ at: 1, lost, lasting: false, counts: (name) => name === command });
    const claimed = await claimRuns(ids, 'me');
    expect((await proxy.end()).cut).toBe(command);
    expect(claimed).toMatchObject(ids.map((_id) => ({ _id, worker: 'me', fence: 1 })));
  },
);

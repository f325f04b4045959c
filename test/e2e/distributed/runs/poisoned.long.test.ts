import { e2e } from '../../../fixtures/e2e.ts';
import { endOf, getRun, startRun } from '../../../helpers/runs.ts';
import { waitFor } from '../../../helpers/wait.ts';

const { server, owner, workspace, api } = e2e({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

const call = (name: string, path: string) =>
  `  - ${name}: { call: http, with: { method: post, endpoint: '${api.url}${path}' } }\n`;
const held = (path: string, times: number) =>
  waitFor(`call ${times} of ${path}`, () => api.keysOf(path).length === times);

test('a run whose workers die five times at the same entry ends; one that got on goes on', async () => {
  const poisoned = `do:\n${call('before', '/ok/p')}${call('held', '/hold/p')}`;
  const getting = `do:\n${call('one', '/hold/g1')}${call('two', '/hold/g2')}`;
  const start = async (content: string) =>
    (await startRun(owner, await workspace.flow(content))).body.id;
  const poisonedId = await start(poisoned);
  await held('/hold/p', 1);
  for (const times of [2, 3]) {
    await server.crash();
    await held('/hold/p', times);
  }
  await server.stop(); // a release is no death
  await server.restart();
  await held('/hold/p', 4);
  const gettingId = await start(getting);
  await held('/hold/g1', 1);
  for (const times of [5, 6]) {
    await server.crash();
    await held('/hold/p', times);
    await held('/hold/g1', times - 3);
  }
  await server.crash();
  const run = await endOf(owner, poisonedId);
  expect(run).toMatchObject({
    status: 'FAILED',
    error: { title: 'POISONED_RUN', instance: '/do/1/held' },
  });
  expect(api.keysOf('/ok/p')).toHaveLength(1);
  expect(api.keysOf('/hold/p')).toHaveLength(6);
  await held('/hold/g1', 4);
  api.letGo();
  await held('/hold/g2', 1); // the journal has grown
  for (const times of [2, 3]) {
    await server.crash();
    await held('/hold/g2', times);
  }
  expect((await getRun(owner, gettingId)).status).toBe('RUNNING'); // after five deaths, at two entries
  api.letGo();
  expect((await endOf(owner, gettingId)).status).toBe('SUCCESS');
}, 300_000);

import { createWorkspace, registerVerified } from '../helpers/people.ts';
import { createFlow, endOf, startRun } from '../helpers/runs.ts';
import { startServer, stopServers } from '../helpers/server.ts';
import { WAITING_FLOW } from './sample-world.ts';

afterAll(stopServers);

test('a deletion whose process is killed right after its answer cancels the runs after the restart', async () => {
  const server = await startServer({ env: { PUBLIC_URL: 'http://service.test' } });
  const owner = await registerVerified(server.url, 'Owner');
  const workspaceId = await createWorkspace(owner);
  for (let round = 0; round < 3; round++) {
    const flowId = await createFlow(owner, workspaceId, WAITING_FLOW, 'the same name');
    const { body: run } = await startRun(owner, flowId);
    const query = { cancel: 'true' };
    const { status } = await owner.call('DELETE', `/flows/${flowId}`, { query });
    await server.kill();
    expect(status).toBe(204);
    await server.restart();
    expect((await owner.call('GET', `/flows/${flowId}`)).status).toBe(404);
    expect((await endOf(owner, run.id)).status).toBe('CANCELLED');
  }
});

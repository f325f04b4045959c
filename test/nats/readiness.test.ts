import { type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, register } from '../helpers/people.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { groundOf, startPart } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

type Readiness = { status: string; dependencies: Record<string, string> };

test('a gateway is ready without flows and runs, names them, and answers 503 for them alone', async () => {
  const ground = await groundOf(dataFolder());
  const gateway = startPart(ground, 'api');
  const url = await gateway.listening;
  expect(gateway.output()).not.toMatch(/^ready on/m);
  const missing = await request<ProblemBody>(url, 'GET', '/health/ready');
  expect([missing.status, missing.body.detail]).toEqual([
    503,
    'Down: identity, workspaces, issues, flows, runs.',
  ]);

  startPart(ground, 'identity,workspaces,issues');
  expect(await gateway.ready).toBe(url);
  const { status, body } = await waitFor('the news', async () => {
    const answer = await request<Readiness>(url, 'GET', '/health/ready');
    return answer.body.dependencies.issues === 'up' && answer;
  });
  expect([status, body.status]).toEqual([200, 'up']);
  expect(body.dependencies).toMatchObject({ identity: 'up', flows: 'down', runs: 'down' });

  const owner = await register(url);
  const workspaceId = await createWorkspace(owner);
  expect((await owner.call('GET', `/workspaces/${workspaceId}/issues`)).status).toBe(200);
  const refused = await owner.call<ProblemBody>('GET', '/flows/7');
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    503,
    'UNAVAILABLE',
    '1',
  ]);
});

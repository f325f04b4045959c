import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, register } from '../helpers/people.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, groundOf, servicesExcept, startPart } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

/** Milliseconds after which the gateway probes again instead of repeating its last states. */
const STATES_REUSED_MS = 150;

/** Milliseconds after the end of a process in which no other process misses its heartbeats, which have 10 s. */
const NO_HEARTBEAT_MISSED_MS = 8_000;

type Readiness = { status: string; dependencies: Record<string, string> };

test('a gateway is ready without flows and runs, names them, and answers 503 for them alone', async () => {
  const ground = await groundOf(dataFolder());
  const gateway = startPart(ground, 'api');
  const url = await gateway.listening;
  expect(gateway.output()).not.toMatch(/^ready on/m);
  const missing = await request<ProblemBody>(url, 'GET', '/health/ready');
  expect([missing.status, missing.body.detail]).toEqual([
    503,
    'Down: identity, workspaces, issues, connections, configurations, flows, workflows, dev-mode, runs, triggers, events, assistant, recordings.',
  ]);

  startPart(ground, CORE);
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

describe('a gateway whose services are in other processes', () => {
  const others = servicesExcept('api', 'identity', 'workspaces', 'runs');
  const { server: system } = e2e({ processes: ['api,identity,workspaces', others, 'runs'] });

  test('a service that is silent counts as up until its heartbeats are missed; one that is gone is down at once', async () => {
    const [process] = system.processesOf(others);
    const states = async () => {
      const { status, body } = await request<Readiness>(system.url, 'GET', '/health/ready');
      expect(status).toBe(200);
      return body.dependencies;
    };

    process?.signal('SIGSTOP');
    await sleep(STATES_REUSED_MS);
    const frozenAt = performance.now();
    expect(await states()).toMatchObject({ issues: 'up', flows: 'up' });
    expect(performance.now() - frozenAt).toBeGreaterThan(900); // the probe was not answered
    await waitFor('missed heartbeats', async () => (await states()).issues === 'down');
    process?.signal('SIGCONT');
    await waitFor('the return', async () => (await states()).issues === 'up');

    await system.remove(others, 'SIGKILL');
    const isDown = async () => {
      const { issues, flows } = await states();
      return issues === 'down' && flows === 'down';
    };
    await waitFor('the news', isDown, NO_HEARTBEAT_MISSED_MS);
    expect((await states()).runs).toBe('up');
  });
});

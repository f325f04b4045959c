import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { createFlow, endOf, getRun, LocalApi, startRun } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { type Ground, groundOf, servicesExcept, startPart, untilReady } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds for which no process has `connections`. */
const AWAY_MS = 3_000;
/** Milliseconds between two starts in that time. The timer paces the load: the test waits for no effect by it. */
const PACE_MS = 100;
const OTHERS = servicesExcept('api', 'connections', 'runs');

let ground: Ground;
let api: LocalApi;
let connections: ServiceProcess;
let owner: Person;
let credentialId: number;
let flowId: number;

const startConnections = () =>
  startPart(ground, 'connections', { OUTBOUND_ALLOW: new URL(api.url).host });

beforeAll(async () => {
  api = await LocalApi.start();
  ground = await groundOf(dataFolder());
  const gateway = startPart(ground, 'api');
  startPart(ground, OTHERS);
  startPart(ground, 'runs', { OUTBOUND_ALLOW: new URL(api.url).host });
  connections = startConnections();
  const url = (await gateway.ready) ?? '';
  await untilReady(url);
  owner = await register(url);
  const workspaceId = await createWorkspace(owner);
  const create = async (path: string, body: object): Promise<number> => {
    const answer = await owner.call<{ id: number }>('POST', path, {
      body: { workspaceId, ...body },
    });
    if (answer.status > 201) throw new Error(`${path} answered ${answer.text}`);
    return answer.body.id;
  };
  credentialId = await create('/auth-credentials', {
    name: 'Shop',
    authType: 'BEARER',
    allowedOrigins: [api.url],
    secret: { token: 'secret-of-the-shop' },
  });
  const apiDescriptionId = await create('/api-descriptions', {
    name: 'Orders',
    description: '',
    url: `${api.url}/orders`,
    methodType: 'GET',
    authCredentialId: credentialId,
  });
  const ask = { call: 'apiDescription', with: { apiDescriptionId } };
  const tasks = [{ before: ask }, { rest: { wait: { milliseconds: 1_200 } } }, { after: ask }];
  flowId = await createFlow(owner, workspaceId, JSON.stringify({ do: tasks }));
});
afterAll(async () => {
  await stopServers();
  await api.stop();
});

async function start(): Promise<number> {
  const { status, body, text } = await startRun(owner, flowId);
  if (status !== 202) throw new Error(`a start answered ${status}: ${text}`);
  return body.id;
}

test('runs go on after 3 s without connections, and its own operations are 503 meanwhile', async () => {
  const runs = [await start()];
  await waitFor('a run between its calls', async () => {
    const [id = 0] = runs;
    return (await getRun(owner, id)).status === 'WAITING';
  });
  connections.signal('SIGKILL');
  await connections.exited;
  const backAt = performance.now() + AWAY_MS;
  const answers: Answer<ProblemBody>[] = [];
  while (performance.now() < backAt) {
    runs.push(await start());
    answers.push(await owner.call<ProblemBody>('GET', `/auth-credentials/${credentialId}`));
    answers.push(
      await owner.call<ProblemBody>('POST', `/auth-credentials/${credentialId}/test`, {
        body: { url: api.url },
      }),
    );
    await sleep(PACE_MS);
  }
  for (const { status, body, headers } of answers) {
    expect([status, body.code, headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      expect.stringMatching(/^\d+$/),
    ]);
  }
  connections = startConnections();
  const ends = await Promise.all(runs.map((id) => endOf(owner, id)));
  expect(ends.map(({ status, error }) => ({ status, error }))).toEqual(
    runs.map(() => ({ status: 'SUCCESS', error: null })),
  );
  expect((await owner.call('GET', `/auth-credentials/${credentialId}`)).status).toBe(200);
});

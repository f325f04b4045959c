import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { endOf, getRun, startRun } from '../helpers/runs.ts';
import { servicesExcept } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds for which no process has `connections`. */
const AWAY_MS = 3_000;
/** Milliseconds between two starts in that time. The timer paces the load: the test waits for no effect by it. */
const PACE_MS = 100;

const {
  server: system,
  owner,
  workspace,
  api,
} = e2e({
  processes: ['api', servicesExcept('api', 'connections', 'runs'), 'runs', 'connections'],
  env: { OUTBOUND_ALLOW: '127.0.0.0/8' },
});
let credentialId: number;
let flowId: number;

beforeAll(async () => {
  const credential = await workspace.make('/auth-credentials', {
    name: 'Shop',
    authType: 'BEARER',
    allowedOrigins: [api.url],
    secret: { token: 'secret-of-the-shop' },
  });
  credentialId = credential.id;
  const { id: apiDescriptionId } = await workspace.make('/api-descriptions', {
    name: 'Orders',
    description: '',
    url: `${api.url}/orders`,
    methodType: 'GET',
    authCredentialId: credentialId,
  });
  const ask = { call: 'apiDescription', with: { apiDescriptionId } };
  const tasks = [{ before: ask }, { rest: { wait: { milliseconds: 1_200 } } }, { after: ask }];
  flowId = await workspace.flow(JSON.stringify({ do: tasks }));
});

async function start(): Promise<number> {
  const { status, body, text } = await startRun(owner, flowId);
  if (status !== 202) throw new Error(`a start answered ${status}: ${text}`);
  return body.id;
}

test('runs go on after 3 s without connections, and its own operations are 503 meanwhile', async () => {
  const first = await start();
  const runs = [first];
  await waitFor('a run between its calls', async () => {
    return (await getRun(owner, first)).status === 'WAITING';
  });
  await system.remove('connections', 'SIGKILL');
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
  await system.add('connections');
  const ends = await Promise.all(runs.map((id) => endOf(owner, id)));
  expect(ends.map(({ status, error }) => ({ status, error }))).toEqual(
    runs.map(() => ({ status: 'SUCCESS', error: null })),
  );
  expect((await owner.call('GET', `/auth-credentials/${credentialId}`)).status).toBe(200);
});

import { e2e } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, endOf, getRun, type RunAnswer, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const {
  server,
  owner: ada,
  api,
} = e2e({
  database: true,
  env: {
    QUEUED_RUNS_PER_WORKSPACE: '3',
    WORKSPACE_RUN_CONCURRENCY: '1',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    PUBLIC_URL: 'http://service.test',
  },
});

const HOLDING = () =>
  `do:\n  - held: { call: http, with: { method: get, endpoint: '${api.url}/hold' } }\n`;

/** A workspace whose one place is taken; the flow that can be started in it. */
async function busyWorkspace(): Promise<number> {
  const flow = await createFlow(ada, await createWorkspace(ada), HOLDING());
  const { body } = await startRun(ada, flow);
  await waitFor('the run', async () => (await getRun(ada, body.id)).status === 'RUNNING');
  return flow;
}
const startAtOnce = (flow: number, many: number) =>
  Promise.all(Array.from({ length: many }, () => startRun(ada, flow)));
const statusesOf = (answers: Answer<unknown>[]) => answers.map(({ status }) => status).sort();

it('refuses the fourth run of a queue of three, and takes one when there is room again', async () => {
  const flow = await busyWorkspace();
  const queued: RunAnswer[] = [];
  for (let n = 0; n < 3; n++) queued.push((await startRun(ada, flow)).body);
  expect(queued.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED', 'QUEUED']);
  const refused = (await startRun(ada, flow)) as unknown as Answer<ProblemBody>;
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    code: 'QUOTA_REACHED',
    detail: 'A workspace may have 3 queued runs at most.',
    quota: 'QUEUED_RUNS_PER_WORKSPACE',
    limit: 3,
  });
  await ada.call('POST', `/flows/runs/${queued[1]?.id}/cancel`);
  expect((await startRun(ada, flow)).status).toBe(202);
  expect((await startRun(ada, flow)).status).toBe(409);
});

it('of many starts at once takes exactly as many', async () => {
  const flow = await busyWorkspace();
  expect(statusesOf(await startAtOnce(flow, 12))).toEqual([
    ...Array(3).fill(202),
    ...Array(9).fill(409),
  ]);
  api.letGo();
});

it('answers a refused start that would have waited at once', async () => {
  const flow = await busyWorkspace();
  await startAtOnce(flow, 3);
  const began = performance.now();
  const { status } = await startRun(ada, flow, { wait: 25_000 });
  expect(status).toBe(409);
  expect(performance.now() - began).toBeLessThan(20_000);
});

it('counts neither what runs nor what has ended, and no other workspace', async () => {
  const flow = await createFlow(ada, await createWorkspace(ada), 'do:\n  - a: { set: { b: 1 } }\n');
  for (let n = 0; n < 8; n++) {
    const { status, body } = await startRun(ada, flow, { wait: 20_000 });
    expect([200, 202]).toContain(status);
    await endOf(ada, body.id);
  }
});

it('can be off', async () => {
  const flow = await busyWorkspace();
  await startAtOnce(flow, 3);
  await server.stop();
  await server.restart({
    QUEUED_RUNS_PER_WORKSPACE: 'off',
  });
  expect(statusesOf(await startAtOnce(flow, 6))).toEqual(Array(6).fill(202));
});

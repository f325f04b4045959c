import { randomOf } from '../../../faults/random.ts';
import { pagesOf } from '../../../helpers/pages.ts';
import { createWorkspace, type Person, registerVerified } from '../../../helpers/people.ts';
import { createFlow, endOf, LocalApi, type RunAnswer, startRun } from '../../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../../helpers/server.ts';
import { waitFor } from '../../../helpers/wait.ts';

type ListedRun = RunAnswer & { retryOf: number | null };

let server: TestServer;
let api: LocalApi;
let ada: Person;
let workspaceId: number;
/** Tokens stay good when the process comes back on the port that it happened to have. */
const env = { OUTBOUND_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://service.test' };

beforeAll(async () => {
  api = await LocalApi.start();
  server = await startServer({ env });
  ada = await registerVerified(server.url);
  workspaceId = await createWorkspace(ada);
});
afterAll(async () => {
  api.stop();
  await stopServers();
});

const RUNS = 150;

test.each([20261124, 8])(
  'kill -9 in the middle of a retry of many runs: each is retried once, seed %i',
  async (seed) => {
    const random = randomOf(seed);
    const endpoint = `${api.url}/flaky/${RUNS}/${seed}`;
    const file = { do: [{ hit: { call: 'http', with: { method: 'post', endpoint } } }] };
    const flowId = await createFlow(ada, workspaceId, JSON.stringify(file));
    const ids: number[] = [];
    for (let n = 0; n < RUNS; n += 25) {
      const started = Array.from({ length: 25 }, async () => (await startRun(ada, flowId)).body.id);
      ids.push(...(await Promise.all(started)));
    }
    for (const id of ids) expect((await endOf(ada, id)).status).toBe('FAILED');
    const { body } = await ada.call<{ jobId: number }>('POST', `/flows/${flowId}/runs/retry`);
    for (const share of [0.1 + random() * 0.3, 0.5 + random() * 0.3]) {
      const calls = RUNS + Math.floor(share * RUNS);
      await waitFor(
        `call ${calls}`,
        () => api.calls.filter(({ path }) => path.endsWith(`/${seed}`)).length > calls,
        60_000,
      );
      await server.kill();
      await server.restart();
    }
    const job = await waitFor(
      'the end of the job',
      async () => {
        const answer = await ada.call<{ done: number; failed: number; finishedAt: string | null }>(
          'GET',
          `/flows/bulk-jobs/${body.jobId}`,
        );
        return answer.body.finishedAt ? answer.body : null;
      },
      90_000,
    );
    expect([job.done, job.failed]).toEqual([RUNS, 0]);
    const retries = (await pagesOf<ListedRun>(ada, `/flows/${flowId}/runs?limit=100`))
      .flat()
      .filter(({ retryOf }) => retryOf !== null);
    expect(retries.map(({ retryOf }) => retryOf).toSorted()).toEqual(ids.toSorted());
    for (const { id } of retries) expect((await endOf(ada, id)).status).toBe('SUCCESS');
  },
  240_000,
);

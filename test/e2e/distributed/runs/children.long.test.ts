import { randomOf } from '../../../faults/random.ts';
import { createWorkspace, type Person, registerVerified } from '../../../helpers/people.ts';
import {
  createFlow,
  endOf,
  LocalApi,
  type RunAnswer,
  runTask,
  startRun,
} from '../../../helpers/runs.ts';
import { startServer, stopServers, type TestServer } from '../../../helpers/server.ts';
import { waitFor } from '../../../helpers/wait.ts';

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

const call = (path: string) => api.task(path);
const flowOf = (...tasks: object[]) => createFlow(ada, workspaceId, JSON.stringify({ do: tasks }));
const runsOf = async (flowId: number): Promise<RunAnswer[]> =>
  (await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`, { query: { limit: 100 } })).body;

async function killAndRestart(): Promise<void> {
  await server.kill();
  await server.restart();
}

const PARENTS = 4;
const ROUNDS = 6;

test.each([20261124, 5, 77])(
  'kill -9 among parents and child runs loses none and starts none twice: seed %i',
  async (seed) => {
    const random = randomOf(seed);
    const path = (part: string) => `/ok/${seed}/${part}`;
    const leaf = await flowOf(
      { first: call(path('first')) },
      { rest: { wait: { milliseconds: 1_100 } } },
      { last: { ...call(path('last')), output: { as: `\${ $input.n }` } } },
    );
    const middle = await flowOf({ leaf: runTask(leaf, { input: { n: `\${ $.n * 10 }` } }) });
    const loop = (parallel?: number) => ({
      for: { each: 'n', in: `\${ [1..${ROUNDS}] }` },
      ...(parallel ? { metadata: { parallel } } : {}),
      do: [{ [`middle${parallel ?? ''}`]: runTask(middle, { input: { n: `\${ $n }` } }) }],
    });
    const parent = await flowOf(
      { wide: { ...loop(4), output: { as: `\${ { "wide": $ } }` } } },
      { one: runTask(leaf, { input: { n: 7 } }) },
      { sum: { set: { wide: `\${ $steps.wide.wide }`, one: `\${ $steps.one }` } } },
    );
    const before = api.calls.length;
    const started = await Promise.all(
      Array.from({ length: PARENTS }, async () => (await startRun(ada, parent)).body.id),
    );
    const kills = 3;
    const perParent = 2 * (ROUNDS + 1);
    for (let kill = 0; kill < kills; kill++) {
      const share = (kill + random()) / kills;
      const calls = before + Math.floor(share * 0.8 * PARENTS * perParent);
      await waitFor(`call ${calls - before}`, () => api.calls.length > calls);
      await killAndRestart();
    }
    for (const id of started) {
      const { status, output, error } = await endOf(ada, id, 120_000);
      expect([status, error]).toEqual(['SUCCESS', null]);
      expect(output).toEqual({ wide: [10, 20, 30, 40, 50, 60], one: 7 });
    }
    const [leaves, middles] = [await runsOf(leaf), await runsOf(middle)];
    expect(leaves).toHaveLength(PARENTS * (ROUNDS + 1));
    expect(middles).toHaveLength(PARENTS * ROUNDS);
    expect(new Set([...leaves, ...middles].map(({ status }) => status))).toEqual(
      new Set(['SUCCESS']),
    );
    for (const part of ['first', 'last']) {
      const keys = api.keysOf(path(part));
      expect(new Set(keys).size).toBe(leaves.length);
      // Only a call that was under way at a kill is made again.
      for (const key of keys)
        expect(keys.filter((other) => other === key).length).toBeLessThanOrEqual(1 + kills);
    }
  },
  300_000,
);

test('kill -9 right after a cancel ends the child runs at every depth', async () => {
  const leaf = await flowOf({ rest: { wait: { minutes: 10 } } });
  const middle = await flowOf({ leaf: runTask(leaf, { input: {} }) });
  const parent = await flowOf({
    wide: {
      for: { each: 'n', in: `\${ [1..5] }` },
      metadata: { parallel: 5 },
      do: [{ middle: runTask(middle, { input: {} }) }],
    },
  });
  const { id } = (await startRun(ada, parent)).body;
  await waitFor('five waiting leaves', async () => {
    const runs = await runsOf(leaf);
    return runs.length === 5 && runs.every(({ status }) => status === 'WAITING');
  });
  expect((await ada.call('POST', `/flows/runs/${id}/cancel`)).status).toBe(202);
  await killAndRestart();
  expect((await endOf(ada, id)).status).toBe('CANCELLED');
  for (const run of [...(await runsOf(middle)), ...(await runsOf(leaf))]) {
    expect((await endOf(ada, run.id)).status).toBe('CANCELLED');
  }
});

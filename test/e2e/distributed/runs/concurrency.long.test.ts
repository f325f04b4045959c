import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, MongoClient } from 'mongodb';
import { createWorkspace, registerVerified } from '../../../helpers/people.ts';
import { createFlow, startRun } from '../../../helpers/runs.ts';
import { dataFolder, startServer, stopServers, type TestServer } from '../../../helpers/server.ts';
import { startDatabase } from '../../../helpers/spread.ts';
import { waitFor } from '../../../helpers/wait.ts';

const SEED = Number(process.env.SEED ?? 20_260_101);
const RUNS = 40;
const KILLS = 6;
const LIMITS = [1, 3] as const;

/** Returns random numbers below 1, the same for the same seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A server that answers after 60 ms, and counts the calls of each path that are under way. */
class CountingServer {
  readonly most = new Map<string, number>();
  readonly #underWay = new Map<string, number>();
  readonly #server = http.createServer((request, response) => {
    const path = request.url ?? '';
    const now = (this.#underWay.get(path) ?? 0) + 1;
    this.#underWay.set(path, now);
    this.most.set(path, Math.max(now, this.most.get(path) ?? 0));
    response.on('close', () => this.#underWay.set(path, (this.#underWay.get(path) ?? 0) - 1));
    setTimeout(() => response.end('{}'), 60).unref();
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Counts the RUNNING runs of flows until `stop`, which returns the most that it saw of each flow. */
function watchRunning(runs: Collection, flowIds: readonly number[]) {
  const most = new Map<number, number>();
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      for (const flowId of flowIds) {
        const now = await runs.countDocuments({ flowId, status: 'RUNNING' });
        most.set(flowId, Math.max(now, most.get(flowId) ?? 0));
      }
      await sleep(5);
    }
  })();
  return async () => {
    isStopped = true;
    await watching;
    return most;
  };
}

const counting = new CountingServer();
afterAll(async () => {
  counting.stop();
  await stopServers();
});

test(`two processes that are killed again and again never exceed a limit, and all runs end (seed ${SEED})`, async () => {
  const url = await counting.start();
  const dataDir = dataFolder();
  const database = await startDatabase(dataDir);
  const env = {
    MONGODB_URI: database.uri,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    PUBLIC_URL: 'http://service.test',
  };
  const servers: TestServer[] = [];
  for (let n = 0; n < 2; n++) servers.push(await startServer({ env, dataDir }));
  const [first] = servers;
  if (!first) throw new Error('no server has started');
  const ada = await registerVerified(first.url);
  const workspaceId = await createWorkspace(ada);
  const contentOf = (limit: number) =>
    `metadata: { concurrency: ${limit} }
do:
  - before: { call: http, with: { method: get, endpoint: '${url}/${limit}' } }
  - rest: { wait: { milliseconds: 1100 } }
  - after: { call: http, with: { method: get, endpoint: '${url}/${limit}' } }
`;
  const flows: number[] = [];
  for (const limit of LIMITS) flows.push(await createFlow(ada, workspaceId, contentOf(limit)));
  const client = await new MongoClient(database.uri).connect();
  const runs = client.db().collection('runs');
  const stopWatching = watchRunning(runs, flows);
  for (let n = 0; n < RUNS; n++) for (const flowId of flows) await startRun(ada, flowId);

  const random = randomBy(SEED);
  for (let kill = 0; kill < KILLS; kill++) {
    const victim = random() < 0.5 ? 0 : 1;
    const server = servers[victim];
    if (!server) throw new Error('no such server');
    await sleep(200 + random() * 1_000); // a seeded moment, not a wait for a condition
    await server.kill();
    await server.restart();
  }
  await waitFor('the ends', async () => !(await runs.findOne({ live: true })), 120_000);
  const most = await stopWatching();
  expect(flows.map((flowId) => most.get(flowId))).toEqual([...LIMITS]);
  for (const limit of LIMITS) expect(counting.most.get(`/${limit}`)).toBeLessThanOrEqual(limit);
  const ended = await runs.find({ flowId: { $in: flows } }).toArray();
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'SUCCESS'));
  expect(ended).toHaveLength(RUNS * LIMITS.length);
  expect(await runs.findOne({ permit: { $exists: true } })).toBeNull();
  await client.close();
}, 300_000);

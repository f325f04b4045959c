import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { request } from '../test/helpers/http.ts';
import { createWorkspace, type Person, register } from '../test/helpers/people.ts';
import { startServer, stopServers, type TestServer } from '../test/helpers/server.ts';
import { median, ratio, requestsPerSecond } from './load.ts';
import { manyWorkspaces } from './many-workspaces.ts';
import { overNats } from './over-nats.ts';
import { usageOfTree } from './process.ts';

/**
 * Prints the figures that the service is held to, as ratios in one run:
 * `npm run bench`, or `npm run bench -- point-read` for some of them.
 */
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
const figure = (name: string, value: number, bound: string, digits = 2) =>
  say(`${name.padEnd(62)} ${value.toFixed(digits).padStart(8)}   ${bound}`);

/** A flow of three sets and one call. */
const FLOW = (port: number) => `
do:
  - a: { set: { n: '\${ $input.n }' } }
  - b: { set: { n: '\${ $.n + 1 }' } }
  - c: { set: { n: '\${ $.n + 1 }' } }
  - fetch: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/' } }
`;
const RUNS = 60;
const WAIT_MS = 300;
const IDLE_SECONDS = 10;

const FIGURES = {
  'point-read': pointRead,
  'over-nats': () => overNats(folder, production, figure),
  'run-overhead': runOverhead,
  'many-workspaces': () => manyWorkspaces(say),
  'start-and-idle': startAndIdle,
};
const wanted = process.argv.slice(2);

try {
  for (const [name, measure] of Object.entries(FIGURES)) {
    if (!wanted.length || wanted.includes(name)) await measure();
  }
} finally {
  await stopServers();
  rmSync(folder, { recursive: true, force: true });
}

/** A point read through everything in one process, against the same by hand, on one database. */
async function pointRead(): Promise<void> {
  const database = await startEmbeddedMongo({ folder: join(folder, 'db'), dbName: 'bench' });
  const service = await startServer({ env: production(database.uri) });
  const bare = spawn(process.execPath, [
    join(import.meta.dirname, 'bare.ts'),
    database.uri,
    'bench',
  ]);
  const [port] = (await once(bare.stdout, 'data')) as [Buffer];
  const owner = await register(service.url);
  const path = await anIssue(owner);
  const headers = { authorization: `Bearer ${owner.token}` };
  const found = await ratio(
    5,
    () => requestsPerSecond(service.url + path, { headers }),
    () => requestsPerSecond(`http://127.0.0.1:${port.toString().trim()}${path}`),
  );
  say(`point read: ${Math.round(found.ours)}/s, bare ${Math.round(found.theirs)}/s`);
  figure('point read of an issue / bare node:http + driver', found.ratio, 'at least 0.40');
  bare.kill();
  await service.stop();
  await database.stop();
}

function production(uri: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' };
  return {
    NODE_ENV: 'production',
    MONGODB_URI: uri,
    JWT_PRIVATE_KEYS: JSON.stringify({ keys: [jwk] }),
    LOG_LEVEL: 'warn',
  };
}

async function anIssue(owner: Person): Promise<string> {
  const workspaceId = await createWorkspace(owner);
  const path = `/workspaces/${workspaceId}/issues`;
  const { body } = await owner.call<{ id: number }>('POST', path, {
    body: { title: 'The mill turns backwards', description: 'Since this morning.' },
  });
  return `${path}/${body.id}`;
}

/** What the engine adds to one HTTP call in a run of three sets and that call, one run after another. */
async function runOverhead(): Promise<void> {
  const target = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await once(target.listen(0, '127.0.0.1'), 'listening');
  const { port } = target.address() as { port: number };
  const service = await startServer({
    env: { OUTBOUND_ALLOW: `127.0.0.1:${port}`, LOG_LEVEL: 'warn' },
  });
  const owner = await register(service.url);
  const run = await aFlow(owner, FLOW(port));
  const through: number[] = [];
  const direct: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    through.push(await timed(run));
    direct.push(await timed(() => request(`http://127.0.0.1:${port}`, 'GET', '/')));
  }
  const warm = (values: number[]) => median(values.slice(10));
  figure(
    'engine overhead of a run beyond its HTTP call, ms (median)',
    warm(through) - warm(direct),
    'at most 15',
  );
  const late: number[] = [];
  const rest = await aFlow(owner, `do:\n  - rest: { wait: { milliseconds: ${WAIT_MS} } }\n`);
  for (let n = 0; n < 10; n++) {
    const { startedAt, completedAt } = await rest();
    late.push(Date.parse(completedAt) - Date.parse(startedAt) - WAIT_MS);
  }
  figure('a wait takes longer than it says, ms (median)', median(late), 'at most 50', 0);
  target.close();
  await service.stop();
}

interface Ended {
  status: string;
  startedAt: string;
  completedAt: string;
}

async function aFlow(owner: Person, content: string): Promise<() => Promise<Ended>> {
  const workspaceId = await createWorkspace(owner);
  const { body } = await owner.call<{ id: number }>('POST', '/flows', {
    body: { workspaceId, name: 'bench', content },
  });
  return async () => {
    const { status, body: ended } = await owner.call<Ended>('POST', `/flows/${body.id}/runs`, {
      query: { wait: 10_000 },
      body: { input: { n: 1 } },
    });
    if (status !== 200 || ended.status !== 'SUCCESS') throw new Error(`the run answered ${status}`);
    return ended;
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** From `npm start` to ready on data that exists, and what the process takes when nobody asks. */
async function startAndIdle(): Promise<void> {
  const dataDir = join(folder, 'service');
  await (await startServer({ dataDir })).stop();
  const starts: number[] = [];
  let server: TestServer | undefined;
  for (let round = 0; round < 3; round++) {
    await server?.stop();
    const started = performance.now();
    server = await startServer({ dataDir });
    starts.push((performance.now() - started) / 1000);
  }
  figure('start to ready on existing data, s (median)', median(starts), 'under 3');
  if (!server || process.platform !== 'linux') return;
  await sleep(3_000);
  const before = usageOfTree(server.pid);
  await sleep(IDLE_SECONDS * 1000);
  const after = usageOfTree(server.pid);
  figure('idle memory, MB', after.memoryMb, 'under 300', 0);
  const share = ((after.cpuSeconds - before.cpuSeconds) / IDLE_SECONDS) * 100;
  figure('idle, % of a core', share, 'under 2');
}

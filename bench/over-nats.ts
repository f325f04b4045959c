import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { request } from '../test/helpers/http.ts';
import { TestNats } from '../test/helpers/nats.ts';
import { createWorkspace, type Person, register } from '../test/helpers/people.ts';
import { type ServiceProcess, startProcess } from '../test/helpers/process.ts';
import { waitFor } from '../test/helpers/wait.ts';
import { countCalls, countingDatabase } from './counters.ts';
import { ratio, requestsPerSecond } from './load.ts';

type Figure = (name: string, value: number, bound: string, digits?: number) => void;

const SERVICES = 'identity,workspaces,issues';
const WARM_READS = 50;
/** One thread for passwords: with its event loop a replica takes 1.2 cores, and the rest of the system half of one. */
const ONE_CORE = { UV_THREADPOOL_SIZE: '1' };
const CORES_FOR_TWO = 3;

/** A point read through gateway, NATS, service and database, against the same by hand; what it costs. */
export async function overNats(
  folder: string,
  production: (uri: string) => Record<string, string>,
  figure: Figure,
): Promise<void> {
  const nats = await TestNats.start();
  const database = await startEmbeddedMongo({ folder: join(folder, 'nats-db'), dbName: 'bench' });
  const counted = await countingDatabase(database.uri);
  const env = {
    ...production(counted.uri),
    NATS_URL: nats.url,
    PUBLIC_URL: 'http://bench.test',
    RATE_LIMIT: 'off',
  };
  const start = (services: string, mongo = database.uri, more = {}) =>
    startProcess({ ...env, ...more, SERVICES: services, MONGODB_URI: mongo });
  const [watched, gateway] = [start(SERVICES, counted.uri), start('api')];
  const url = (await gateway.ready) ?? '';
  await watched.ready;
  const owner = await waitFor('the services', () => register(url).catch(() => null));
  const path = await anIssue(owner);
  await countWarmRead(url + path, nats.url, owner, counted.commands, figure);
  const service = start(SERVICES); // straight to the database, as the one by hand
  await service.ready;
  watched.signal('SIGTERM');
  await watched.exited;
  await againstBare(url, path, owner, [nats.url, database.uri, 'bench'], figure);
  service.signal('SIGTERM');
  await service.exited;
  await oneAgainstTwo(() => start('identity', database.uri, ONE_CORE), url, owner, figure);
  gateway.signal('SIGTERM');
  await gateway.exited;
  counted.stop();
  await database.stop();
  await nats.kill();
}

async function anIssue(owner: Person): Promise<string> {
  const path = `/workspaces/${await createWorkspace(owner)}/issues`;
  const body = { title: 'The mill turns backwards', description: 'Since this morning.' };
  return `${path}/${(await owner.call<{ id: number }>('POST', path, { body })).body.id}`;
}

/** Who calls and their role are known for a second: the read itself is what is left. */
async function countWarmRead(
  url: string,
  natsUrl: string,
  { token }: Person,
  commands: () => number,
  figure: Figure,
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const read = () => request(origin, 'GET', pathname, { token });
  const counter = await countCalls(natsUrl);
  await sleep(1_100);
  await read();
  const [calls, before] = [await counter.calls(), commands()];
  for (let n = 0; n < WARM_READS; n++) await read();
  const messages = ((await counter.calls()) - calls) / WARM_READS;
  const roundTrips = (commands() - before) / WARM_READS;
  figure('NATS messages of a warm point read', messages, 'exactly 2');
  figure('database round trips of a warm point read', roundTrips, 'exactly 1');
  if (messages !== 2 || roundTrips !== 1) process.exitCode = 1;
  await counter.stop();
}

async function againstBare(
  url: string,
  path: string,
  owner: Person,
  addresses: string[],
  figure: Figure,
): Promise<void> {
  const { body } = await request<{ keys: JsonWebKeyInput['key'][] }>(
    url,
    'GET',
    '/.well-known/jwks.json',
  );
  const [key = {}] = body.keys;
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const bare = (part: string): ChildProcess =>
    spawn(
      process.execPath,
      [join(import.meta.dirname, 'bare-nats.ts'), part, ...addresses, `${pem}`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
  const [service, gateway] = [bare('service'), bare('gateway')];
  const lines = await Promise.all(
    [service, gateway].map(({ stdout }) => once(stdout ?? process.stdin, 'data')),
  );
  const port = String(lines[1]?.[0]).trim();
  const headers = { authorization: `Bearer ${owner.token}` };
  const found = await ratio(
    5,
    () => requestsPerSecond(url + path, { headers }),
    () => requestsPerSecond(`http://127.0.0.1:${port}${path}`, { headers }),
  );
  process.stdout.write(
    `over NATS: ${Math.round(found.ours)}/s, by hand ${Math.round(found.theirs)}/s\n`,
  );
  figure('point read over NATS / the same by hand', found.ratio, 'at least 0.60');
  service.kill();
  gateway.kill();
}

/** Comparing a password is CPU (argon2id) and, where it is wrong, little else. */
async function oneAgainstTwo(
  start: () => ServiceProcess,
  url: string,
  { email }: Person,
  figure: Figure,
): Promise<void> {
  const signIns = () =>
    requestsPerSecond(`${url}/auth/sign-in`, {
      headers: { 'content-type': 'application/json' },
      body: { email, password: 'not the one' },
      status: 401,
    });
  const first = start();
  await first.ready;
  const one = await signIns();
  const second = start();
  await second.ready;
  const two = await signIns();
  const cores = availableParallelism();
  const bound = cores >= CORES_FOR_TWO ? 'at least 1.50' : `1.50 takes ${CORES_FOR_TWO} cores`;
  process.stdout.write(`passwords: ${Math.round(one)}/s by one, ${Math.round(two)}/s by two\n`);
  figure(`two replicas that compare passwords / one, on ${cores} cores`, two / one, bound);
  for (const replica of [first, second]) replica.signal('SIGTERM');
  await Promise.all([first.exited, second.exited]);
}

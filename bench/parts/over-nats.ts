import { createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../test/helpers/http.ts';
import { TestNats } from '../../test/helpers/nats.ts';
import { type Person, register } from '../../test/helpers/people.ts';
import { type ServiceProcess, startProcess } from '../../test/helpers/process.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { countCalls, countingDatabase } from '../counters.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { printLine, reportFigure, reportUnbounded } from '../report.ts';
import {
  createIssue,
  createIssues,
  DATABASE_NAME,
  productionEnvironment,
  startDatabase,
  startProgram,
  stopDatabase,
} from '../setup.ts';

const SERVICES = 'identity,workspaces,issues';
const ROUNDS = 4;
/** Reads of one measurement. Even a slow machine makes them within the second for which the service caches caller and role. */
const WARM_READS = 10;
/** One thread for passwords. A replica then takes 1.2 cores with its event loop, and the rest of the system half a core. */
const ONE_CORE = { UV_THREADPOOL_SIZE: '1' };
/** Cores that a comparison of two replicas needs. With fewer cores the figure has no bound. */
const CORES_FOR_TWO = 3;

/** Compares a point read through gateway, NATS, service and database with the same read by hand, and counts its commands. */
export async function measureOverNats(): Promise<void> {
  const nats = await TestNats.start();
  const database = await startDatabase('over-nats');
  const counted = await countingDatabase(database.uri);
  const env = {
    ...productionEnvironment(counted.uri),
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
  const { issues, issue } = await createIssue(owner);
  const paths = await createIssues(owner, issues);
  await countWarmRead(url + issue, nats.url, owner, counted.commands);
  const service = start(SERVICES); // without the counting proxy, like the program by hand
  await service.ready;
  await stop(watched);
  await compareByHand(url, { issue, paths }, owner, [nats.url, database.uri, DATABASE_NAME]);
  await stop(service);
  await compareReplicas(() => start('identity', database.uri, ONE_CORE), url, owner);
  await stop(gateway);
  counted.stop();
  await stopDatabase(database);
  await nats.kill();
}

async function stop(part: ServiceProcess): Promise<void> {
  part.signal('SIGTERM');
  await part.exited;
}

/** Counts the calls and commands of a read while the service has its caller and role in the cache, for one second. */
async function countWarmRead(
  url: string,
  natsUrl: string,
  { token }: Person,
  commands: () => number,
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const read = () => request(origin, 'GET', pathname, { token });
  const counter = await countCalls(natsUrl);
  await sleep(1_100);
  await read();
  const [calls, before] = [await counter.calls(), commands()];
  for (let n = 0; n < WARM_READS; n++) await read();
  reportFigure(FIGURES.natsMessages, ((await counter.calls()) - calls) / WARM_READS);
  reportFigure(FIGURES.roundTrips, (commands() - before) / WARM_READS);
  await counter.stop();
}

async function compareByHand(
  url: string,
  { issue, paths }: { issue: string; paths: readonly string[] },
  owner: Person,
  addresses: string[],
): Promise<void> {
  const { body } = await request<{ keys: JsonWebKeyInput['key'][] }>(
    url,
    'GET',
    '/.well-known/jwks.json',
  );
  const [key = {}] = body.keys;
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const start = (part: string) => startProgram('bare-nats.ts', [part, ...addresses, `${pem}`]);
  const [service, gateway] = [await start('service'), await start('gateway')];
  const headers = { authorization: `Bearer ${owner.token}` };
  const urlByHand = `http://127.0.0.1:${gateway.line}`;
  const found = await interleave(ROUNDS, {
    ours: () => requestsPerSecond(url + issue, { headers }),
    byHand: () => requestsPerSecond(urlByHand + issue, { headers }),
    oursOfMany: () => requestsPerSecond(url, { headers, paths }),
    byHandOfMany: () => requestsPerSecond(urlByHand, { headers, paths }),
  });
  const rate = (values: number[]) => `${Math.round(median(values))}/s`;
  printLine(
    `over NATS: ${rate(found.ours)}, by hand ${rate(found.byHand)}; ` +
      `of ${paths.length} issues ${rate(found.oursOfMany)}, by hand ${rate(found.byHandOfMany)}; ` +
      'the programme by hand does not batch its reads',
  );
  reportFigure(FIGURES.overNats, medianRatio(found.ours, found.byHand));
  reportFigure(FIGURES.overNatsOfMany, medianRatio(found.oursOfMany, found.byHandOfMany));
  service.stop();
  gateway.stop();
}

/** Compares one replica with two by refused sign-ins, whose cost is almost only the CPU time of argon2id. */
async function compareReplicas(
  start: () => ServiceProcess,
  url: string,
  { email }: Person,
): Promise<void> {
  const body = { email, password: 'not the one' };
  const signIns = () => requestsPerSecond(`${url}/auth/sign-in`, { body, status: 401 });
  const first = start();
  await first.ready;
  const one = await signIns();
  const second = start();
  await second.ready;
  const two = await signIns();
  printLine(`passwords: ${Math.round(one)}/s by one, ${Math.round(two)}/s by two`);
  const cores = availableParallelism();
  if (cores >= CORES_FOR_TWO) reportFigure(FIGURES.twoIdentities, two / one);
  else
    reportUnbounded(FIGURES.twoIdentities, two / one, `takes ${CORES_FOR_TWO} cores of ${cores}`);
  await Promise.all([stop(first), stop(second)]);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, type Person, register } from '../../helpers/people.ts';
import type { TestServer } from '../../helpers/server.ts';
import { type ConnectionFlood, duringFlood, type Flood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

/** Milliseconds after its time within which a late request is gone, on a machine that is busy besides. */
const GONE_WITHIN_MS = 1_000;
/** Seconds after which the flood ends by itself: longer than a request may take. */
const FLOOD_SECONDS = 60;

const HEADERS = 'GET /workspaces HTTP/1.1\r\nHost: service.test\r\nX-Slow: ';
const BODY = [
  'POST /auth/sign-in HTTP/1.1',
  'Host: service.test',
  'Content-Type: application/json',
  'Content-Length: 1000',
  '\r\n{"email":',
].join('\r\n');

const slow = (connections: number, text: string): ConnectionFlood => ({
  kind: 'connections',
  connections,
  text,
  seconds: FLOOD_SECONDS,
  localAddress: '127.0.0.2',
});

/** Connections whose headers, or whose body, never end; and milliseconds until they are late. */
const HALF_OPEN = { flood: slow(2_000, HEADERS), lateAfterMs: 10_000 };
const UNFINISHED = { flood: slow(500, BODY), lateAfterMs: 30_000 };

/** Somebody who reads meanwhile. */
async function prepare({ url }: TestServer): Promise<Person> {
  const person = await register(url);
  await createWorkspace(person);
  return person;
}

const read = (person: Person): Promise<number> =>
  medianMs(() => answersWith(200, person.call('GET', '/workspaces')));

/** The figure of the reader under the flood; afterwards every connection must be answered 408 and gone. */
const readDuring = (
  { url }: TestServer,
  person: Person,
  { flood: spec, lateAfterMs }: { flood: ConnectionFlood; lateAfterMs: number },
): Promise<number> =>
  duringFlood(url, spec, async (flood) => {
    const began = performance.now();
    const { open } = await flood.report();
    if (open < spec.connections) throw new Error(`only ${open} connections came to be`);
    const figure = await read(person);
    await sleep(lateAfterMs + GONE_WITHIN_MS - (performance.now() - began));
    await assertGone(flood, spec.connections);
    return figure;
  });

async function assertGone(flood: Flood, connections: number): Promise<void> {
  const { open, statuses } = await flood.report();
  if (open > 0) throw new Error(`${open} of ${connections} connections are still open`);
  if (statuses[408] !== connections) throw new Error(`answered ${JSON.stringify(statuses)}`);
}

/** A scenario of reads; they may take twice as long meanwhile. */
const ofReads = (
  name: string,
  flooded: FloodScenario<Person>['flooded'],
): FloodScenario<Person> => ({
  name: `${name}: reads`,
  bound: 2,
  prepare,
  idle: (_server, person) => read(person),
  flooded,
});

export const scenarios = [
  ofReads('half-open headers', (server, person) => readDuring(server, person, HALF_OPEN)),
  ofReads('unfinished bodies', (server, person) => readDuring(server, person, UNFINISHED)),
  ofReads('half-open headers and unfinished bodies', (server, person) =>
    duringFlood(server.url, UNFINISHED.flood, () => readDuring(server, person, HALF_OPEN)),
  ),
];

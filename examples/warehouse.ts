import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { alarms, COUNTRIES, deliveries, orders, stock } from './stock.ts';

/**
 * A small warehouse for the flows of this folder. It keeps everything in memory, and like many a real system it fails now
 * and then: the first two shipments after its start are answered 503, and `POST /faults {path, status, times}` makes
 * further requests fail. `npm run example -- 4020` takes another port.
 */
const PORT = Number(process.argv[2] ?? 4010);

interface Answer {
  status: number;
  body?: unknown;
}
interface Call {
  /** The last segment of the path, or the one before `acknowledge`. */
  name: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The `Idempotency-Key`: the same one twice is one shipment, or one reservation. */
  key: string;
}

/** The status that the next requests of a path are answered with, and how many. */
const faults = new Map([['/shipments', { status: 503, times: 2 }]]);
const shipments = new Map<string, unknown>();
const reservations = new Map<string, { id: string; sku: string; pieces: number }>();
const reports: unknown[] = [];

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const ok = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, message: string): Answer => ({ status, body: { message } });

function ship({ body, key }: Call): Answer {
  if (body.country !== undefined && !COUNTRIES.includes(String(body.country))) {
    say(`order ${body.id} refused: nothing is shipped to ${body.country} (${key})`);
    return refuse(422, `nothing is shipped to ${body.country}`);
  }
  say(`order ${body.id} ${shipments.has(key) ? 'shipped before' : 'shipped'} (${key})`);
  shipments.set(key, body);
  return { status: 201, body: { shipment: `S-${body.id}`, shipped: shipments.size } };
}

function reserve({ body, key }: Call): Answer {
  const made = reservations.get(key);
  if (made) return { status: 201, body: made };
  const [sku, pieces] = [String(body.sku), Number(body.pieces)];
  const left = (stock.get(sku) ?? 0) - pieces;
  if (!(left >= 0)) return refuse(409, `there are not ${pieces} pieces of ${sku}`);
  stock.set(sku, left);
  const reservation = { id: `R-${reservations.size + 1}`, sku, pieces };
  reservations.set(key, reservation);
  say(`${pieces} pieces of ${sku} reserved (${reservation.id})`);
  return { status: 201, body: reservation };
}

function release({ name }: Call): Answer {
  const found = [...reservations].find(([, { id }]) => id === name);
  if (found) {
    const [key, { sku, pieces }] = found;
    reservations.delete(key);
    stock.set(sku, (stock.get(sku) ?? 0) + pieces);
    say(`${pieces} pieces of ${sku} are free again (${name})`);
  }
  return { status: 204 };
}

function showStock({ name }: Call): Answer {
  const pieces = stock.get(name);
  return pieces === undefined ? refuse(404, `no ${name} here`) : ok({ sku: name, pieces });
}

function listOrders({ query }: Call): Answer {
  const since = query.get('since') ?? '';
  say(`orders listed since ${since}`);
  return ok({ orders: orders.filter(({ placedAt }) => placedAt >= since) });
}

function acknowledge({ name }: Call): Answer {
  say(`alarm ${name} acknowledged`);
  alarms.delete(Number(name));
  return { status: 204 };
}

function takeReport({ body }: Call): Answer {
  say(`report: ${JSON.stringify(body)}`);
  reports.push(body);
  return { status: 202, body: { reports: reports.length } };
}

function setFault({ body }: Call): Answer {
  faults.set(String(body.path), { status: Number(body.status), times: Number(body.times) });
  return { status: 204 };
}

const ROUTES: [string, RegExp, (call: Call) => Answer][] = [
  ['GET', /^\/orders$/, listOrders],
  ['GET', /^\/deliveries$/, () => ok({ deliveries })],
  ['GET', /^\/stock\/(?<name>\w+)$/, showStock],
  ['POST', /^\/shipments$/, ship],
  ['POST', /^\/reservations$/, reserve],
  ['DELETE', /^\/reservations\/(?<name>[\w-]+)$/, release],
  ['GET', /^\/alarms$/, () => ok({ alarms: [...alarms.values()] })],
  ['POST', /^\/alarms\/(?<name>\d+)\/acknowledge$/, acknowledge],
  ['GET', /^\/reports$/, () => ok({ reports })],
  ['POST', /^\/reports$/, takeReport],
  ['POST', /^\/faults$/, setFault],
];

/** The failure that a path has at the moment; null for none. */
function faultOf(path: string): Answer | null {
  const fault = faults.get(path);
  if (!fault || fault.times <= 0) return null;
  fault.times--;
  say(`${path} refused: the warehouse is busy`);
  return refuse(fault.status, 'busy, try again');
}

async function answerTo(request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://warehouse');
  const sent = await text(request);
  for (const [method, pattern, handle] of ROUTES) {
    const match = method === request.method ? pattern.exec(pathname) : null;
    if (!match) continue;
    const body = sent ? (JSON.parse(sent) as Record<string, unknown>) : {};
    const key = String(request.headers['idempotency-key']);
    return faultOf(pathname) ?? handle({ name: match.groups?.name ?? '', query, body, key });
  }
  return refuse(404, 'not found');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

const server = createServer((request, response) => {
  answerTo(request).then(
    (answer) => send(response, answer),
    () => send(response, refuse(400, 'not JSON')),
  );
});
server.listen(PORT, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  say(`the warehouse is open on http://127.0.0.1:${port}`);
});

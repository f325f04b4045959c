/** The process of a flood. Its parent sends it the requests to make, and it ends with the parent. */
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConnectionFlood,
  FloodReport,
  FloodRequest,
  FloodSpec,
  RequestFlood,
} from './flood.ts';

const MOST = { seconds: 120, clients: 500, count: 100_000, connections: 3_000 };
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

const report: FloodReport = { statuses: {}, open: 0 };
const note = (status: number): void => {
  report.statuses[status] = (report.statuses[status] ?? 0) + 1;
};
const tell = (): void => void process.send?.(report);

process.on('disconnect', () => process.exit());
const [{ url, spec }] = (await once(process, 'message')) as [{ url: string; spec: FloodSpec }];
const target = new URL(url);
if (!LOOPBACK.has(target.hostname)) throw new Error('a flood goes to this machine only');
setTimeout(() => process.exit(), 1_000 * Math.min(spec.seconds, MOST.seconds));
await (spec.kind === 'requests' ? sendRequests(spec) : openConnections(spec));
process.on('message', tell);
tell();

/** Resolves when every client has sent its first request. */
async function sendRequests({ clients, count = MOST.count, ...flood }: RequestFlood) {
  const agent = new http.Agent({
    keepAlive: true,
    maxSockets: MOST.clients,
    ...(flood.localAddress ? { localAddress: flood.localAddress } : {}),
  });
  let left = Math.min(count, MOST.count);
  const work = async (first: number): Promise<void> => {
    for (let n = first; left > 0; n++) {
      left--;
      const request = flood.requests[n % flood.requests.length];
      if (request) note(await statusOf(request, agent));
    }
  };
  for (let n = 0; n < Math.min(clients, MOST.clients); n++) void work(n);
  await sleep(0);
}

function statusOf({ method, path, headers, body }: FloodRequest, agent: http.Agent) {
  return new Promise<number>((resolve) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const request = http.request(
      new URL(path, target),
      {
        method,
        agent,
        headers: { ...(payload ? { 'content-type': 'application/json' } : {}), ...headers },
      },
      (response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', () => resolve(0));
    request.end(payload);
  });
}

/** Resolves when every connection is open and has sent its text. */
async function openConnections({ connections, text, drip, localAddress }: ConnectionFlood) {
  const wanted = Math.min(connections, MOST.connections);
  await Promise.all(Array.from({ length: wanted }, () => openOne(text, drip, localAddress)));
}

async function openOne(text: string, drip: ConnectionFlood['drip'], localAddress?: string) {
  const socket = connect({
    host: target.hostname,
    port: Number(target.port),
    ...(localAddress ? { localAddress } : {}),
  });
  socket.once('data', (chunk) => note(Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] ?? 0)));
  socket.resume();
  const refused = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'error').then(() => true),
  ]).catch(() => true);
  if (refused) return note(0);
  report.open++;
  socket.on('error', () => undefined); // closed, in the end
  socket.write(text);
  const dripping = drip && setInterval(() => socket.write(drip.text), drip.everyMs);
  socket.once('close', () => {
    report.open--;
    clearInterval(dripping);
  });
}

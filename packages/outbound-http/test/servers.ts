import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOutboundClient, type OutboundClient, type OutboundOptions } from '../index.ts';

export interface TestServer {
  port: number;
  url: string;
  /** The requests that the server has received, oldest first. */
  requests: IncomingMessage[];
  /** The number of connections that the server has accepted. */
  connections: number;
  /** The connections that are open now. */
  open: Set<Socket>;
}

const servers: { close(): unknown; open: Set<Socket> }[] = [];
const clients: OutboundClient[] = [];

export async function listen(answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    answer(req, res);
  });
  return Object.assign(await open(server), { requests });
}

/** Starts a TCP server that answers a connection with any bytes. */
export async function listenRaw(answer: (socket: Socket) => void): Promise<TestServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    answer(socket);
  });
  return Object.assign(await open(server as Server), { requests: [] });
}

async function open(server: Server) {
  const state = { connections: 0, open: new Set<Socket>(), port: 0, url: '' };
  server.on('connection', (socket: Socket) => {
    state.connections++;
    state.open.add(socket);
    socket.once('close', () => state.open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  state.port = (server.address() as AddressInfo).port;
  state.url = `http://127.0.0.1:${state.port}`;
  servers.push({ close: () => server.close(), open: state.open });
  return state;
}

/** Makes a client that may call the given servers. */
export function clientFor(
  targets: readonly TestServer[],
  options: Partial<OutboundOptions> = {},
): OutboundClient {
  const allow = targets.map(({ port }) => `127.0.0.1:${port}`);
  const client = createOutboundClient({ allow, ...options });
  clients.push(client);
  return client;
}

/** Closes all clients and servers of a test. */
export async function closeAll(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const { close, open } of servers.splice(0)) {
    close();
    for (const socket of open) socket.destroy();
  }
}

export const bodyOf = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Waits up to 2 s for a condition. A connection attempt ends by itself after 10 s only. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !holds(); tries++) await sleep(10);
  expect(holds()).toBe(true);
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Traps {
  ports: readonly number[];
  /** The addresses that a connection was attempted to, as `address port`. */
  attempts: string[];
  /** The connections that the servers have accepted. */
  connections: number;
  /** Answers the requests, with 200 by default. */
  answer: RequestListener;
  close(): Promise<void>;
}

/** Starts servers on all addresses of this machine, which must not be called, and watches all attempts to connect. */
export async function setTraps(): Promise<Traps> {
  const servers = ['127.0.0.1', '::1', '0.0.0.0', '::'].map((address) => ({
    address,
    server: createServer((req, res) => traps.answer(req, res)),
  }));
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address, port) => attempts.push(`${address} ${port}`));
  };
  const attempts: string[] = [];
  const answer: RequestListener = (_req, res) => res.end('reached');
  const traps = { ports: [] as number[], attempts, connections: 0, answer, close };
  subscribe('net.client.socket', watch);
  for (const { address, server } of servers) {
    server.on('connection', () => traps.connections++);
    await once(server.listen(0, address), 'listening');
    traps.ports.push((server.address() as AddressInfo).port);
  }
  return traps;

  async function close(): Promise<void> {
    unsubscribe('net.client.socket', watch);
    for (const { server } of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { ConnectionLog } from './connection-log.ts';

const AGAIN_AFTER_MS = 200;

/**
 * nats.js shall not connect again by itself: an attempt that it has given up for want of an answer goes on
 * behind its back, and when that ends, it takes the good connection for lost, makes another beside it and
 * reads both into one parser. Each connection is a client of its own instead.
 */
const ONCE: ConnectionOptions = {
  reconnect: false,
  timeout: 2_000,
  pingInterval: 5_000, // a connection that is only half there is noticed
  maxPingOut: 2,
};

/** Connects to a NATS that may come late, or refuse us for a while; null once nobody wants it any more. */
export async function connectPatiently(
  options: ConnectionOptions,
  log: ConnectionLog,
  isWanted: () => boolean,
): Promise<NatsConnection | null> {
  while (isWanted()) {
    try {
      const client = await connect({ ...ONCE, ...options });
      if (isWanted()) return client;
      await client.close();
    } catch (error) {
      log.trouble(reasonOf(error as Error & { code?: string }));
    }
    await sleep(AGAIN_AFTER_MS * (1 + Math.random() / 2)); // not all processes at once
  }
  return null;
}

const reasonOf = ({ code, message }: Error & { code?: string }): string => code ?? message;

/** Resolves when the client's connection has ended, with the reason; refusals meanwhile go to the log. */
export async function connectionEnd(
  client: NatsConnection,
  log: Pick<ConnectionLog, 'refused'>,
): Promise<string> {
  let why = 'the connection ended';
  const listen = async () => {
    for await (const { type, data, permissionContext } of client.status()) {
      if (type === 'staleConnection') why = 'it does not answer';
      else if (permissionContext)
        log.refused(permissionContext.operation, permissionContext.subject);
      else if (type === 'error') why = String(data);
    }
  };
  void listen();
  await client.closed();
  return why;
}

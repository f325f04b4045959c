import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { ConnectionLog } from './connection-log.ts';

/** Milliseconds between two attempts to connect, plus up to half of them at random: not all processes at once. */
const RETRY_DELAY_MS = 200;

/**
 * The NATS client must not reconnect by itself: an attempt that the client has given up goes on in the
 * background and later replaces a good connection. Each connection has a client of its own instead.
 */
const SINGLE_CONNECTION: ConnectionOptions = {
  reconnect: false,
  timeout: 2_000,
  pingInterval: 5_000, // detects a connection whose other end is gone
  maxPingOut: 2,
};

/** Connects to a nats-server that may start late or refuse this process for a while; null once `isWanted` is false. */
export async function connectWithRetries(
  options: ConnectionOptions,
  log: ConnectionLog,
  isWanted: () => boolean,
): Promise<NatsConnection | null> {
  while (isWanted()) {
    try {
      const client = await connect({ ...SINGLE_CONNECTION, ...options });
      if (isWanted()) return client;
      await client.close();
    } catch (error) {
      log.trouble(reasonOf(error as Error & { code?: string }));
    }
    await sleep(RETRY_DELAY_MS * (1 + Math.random() / 2));
  }
  return null;
}

const reasonOf = ({ code, message }: Error & { code?: string }): string => code ?? message;

/** Resolves when the client's connection has ended, with the reason. Logs refused permissions meanwhile. */
export async function connectionEnd(
  client: NatsConnection,
  log: Pick<ConnectionLog, 'refused'>,
): Promise<string> {
  let reason = 'the connection ended';
  const readStatus = async () => {
    for await (const { type, data, permissionContext } of client.status()) {
      if (type === 'staleConnection') reason = 'it does not answer';
      else if (permissionContext)
        log.refused(permissionContext.operation, permissionContext.subject);
      else if (type === 'error') reason = String(data);
    }
  };
  void readStatus();
  await client.closed();
  return reason;
}

/** Throws the reason when nats-server does not accept a connection within `timeoutMs`. */
export async function assertNatsAnswers(
  options: ConnectionOptions,
  timeoutMs: number,
): Promise<void> {
  const client = await connect({ ...options, timeout: timeoutMs, reconnect: false });
  await client.close();
}

/** Sends one empty request over a connection of its own. Throws when no response comes within `timeoutMs`. */
export async function requestOnce(
  options: ConnectionOptions,
  subject: string,
  timeoutMs: number,
): Promise<void> {
  const client = await connect({ ...options, timeout: timeoutMs });
  try {
    await client.request(subject, undefined, { timeout: timeoutMs });
  } finally {
    await client.close();
  }
}

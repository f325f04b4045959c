import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type Msg, type NatsConnection } from 'nats';
import type { ConnectionLog } from './connection-log.ts';

/** Milliseconds between two attempts to connect, plus up to half of them at random: not all processes at once. */
const RETRY_DELAY_MS = 200;
/** Milliseconds for draining and flushing when NATS may be away. Beyond them the transporter goes on without. */
const FLUSH_TIMEOUT_MS = 1_000;
/** Milliseconds of a good connection. After a shorter one the next waits: a server may accept and end each of them. */
const SHORT_LIVED_MS = 1_000;

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
    await retryDelay();
  }
  return null;
}

const retryDelay = () => sleep(RETRY_DELAY_MS * (1 + Math.random() / 2));

/** Resolves when the connection that was up since then, by `performance.now()`, may be replaced. */
export async function delayAfterConnection(upSince: number | undefined): Promise<void> {
  if (performance.now() - (upSince ?? Infinity) < SHORT_LIVED_MS) await retryDelay();
}

/**
 * Waits for work on a connection, no longer than `FLUSH_TIMEOUT_MS`. Work that the end of the connection
 * fails is not logged: `ConnectionLog` has the reason.
 */
export async function waitForFlush(
  client: NatsConnection,
  work: Promise<unknown>,
  logger: { warn(line: string): void },
): Promise<void> {
  const done = work.catch(({ message }: Error) => {
    if (!client.isClosed()) logger.warn(`NATS did not take all that was sent: ${message}`);
  });
  await Promise.race([done, sleep(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
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

/**
 * Hands the messages to a subject to `handle`, which throws when a message is not valid. An error that left
 * a callback would end the client's reading of the connection.
 */
export function listen(
  client: NatsConnection,
  log: Pick<ConnectionLog, 'invalidMessage'>,
  subject: string,
  handle: (msg: Msg) => void,
): void {
  client.subscribe(subject, {
    callback: (error, msg) => {
      if (error) return; // a missing permission: `ConnectionLog` has it
      try {
        handle(msg);
      } catch (fault) {
        log.invalidMessage(subject, (fault as Error).message);
      }
    },
  });
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

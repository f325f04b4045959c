import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { ConnectionLog } from './connection-log.ts';

const AGAIN_AFTER_MS = 200;

/** From the first connection on, the client connects again by itself, whatever it is refused for. */
const PATIENT: ConnectionOptions = {
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 200,
  reconnectJitter: 100,
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
      const client = await connect({ ...PATIENT, ...options });
      if (isWanted()) return client;
      await client.close();
    } catch (error) {
      log.trouble(reasonOf(error as Error & { code?: string }));
    }
    await sleep(AGAIN_AFTER_MS);
  }
  return null;
}

const reasonOf = ({ code, message }: Error & { code?: string }): string => code ?? message;

/**
 * Tells of a client's connection what happens to it, until the client is closed. nats.js says
 * `disconnect` for each attempt that fails, and at the end `reconnect` as often.
 */
export async function watchConnection(
  client: NatsConnection,
  log: ConnectionLog,
  on: { lost(): void; back(): void },
): Promise<void> {
  let isUp = true;
  let why = 'the connection ended';
  for await (const { type, data, permissionContext } of client.status()) {
    if (type === 'staleConnection') why = 'it does not answer';
    else if (type === 'error' && isUp && !permissionContext) why = String(data);
    else if (type === 'error') log.trouble(String(data));
    else if (type === 'reconnecting') log.trouble();
    else if (type === 'disconnect' && isUp) {
      isUp = false;
      log.trouble(why);
      on.lost();
    } else if (type === 'reconnect' && !isUp) {
      isUp = true;
      why = 'the connection ended';
      log.well();
      on.back();
    }
  }
}

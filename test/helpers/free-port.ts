import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The first port that tests choose, above the last one that `fetch` refuses (10080). */
const FIRST_PORT = 10_100;
/** The ports of each worker of jest; all are below those that the kernel gives to sockets without a port of their own. */
const PORTS_OF_WORKER = 2_000;
/** The workers of jest that have ports of their own; a further one shares those of another. */
const WORKERS = 10;

const firstPort =
  FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_OF_WORKER;
let offset = randomInt(PORTS_OF_WORKER);

/**
 * Finds a port on which nothing listens. A server that goes may come back on it: meanwhile neither the kernel nor
 * another worker of jest gives it away.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_OF_WORKER; tried++) {
    offset = (offset + 1) % PORTS_OF_WORKER;
    const port = firstPort + offset; // another call changes the offset meanwhile
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${firstPort} on is free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const listening = once(probe.listen(port, '127.0.0.1'), 'listening');
  const hasPort = await listening.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      return false;
    },
  );
  if (hasPort) await once(probe.close(), 'close');
  return hasPort;
}

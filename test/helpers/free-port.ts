import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The first port that tests choose. */
const FIRST_PORT = 10_000;
/** The number of such ports: all are below those that the kernel gives to sockets without a port of their own. */
const PORTS = 20_000;

/** Finds a port on which nothing listens. No server that starts on a port of the kernel's choice gets it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const listening = once(probe.listen(port, '127.0.0.1'), 'listening');
  const hasPort = await listening.then(
    () => true,
    () => false,
  );
  if (hasPort) await once(probe.close(), 'close');
  return hasPort;
}

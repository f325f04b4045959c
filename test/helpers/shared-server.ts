import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startModelServer } from './model-server/model-server.ts';
import { COMPILE_CACHE } from './process.ts';
import { startServer } from './server.ts';

/** The variable with the address at which jest's own process tells the tests where the shared server is. */
export const SHARED_SERVER_ADDRESS = 'TEST_SHARED_SERVER';

/** The settings of the shared server. A test that needs others starts a server of its own. */
const ENV = { OUTBOUND_ALLOW: '127.0.0.0/8' };

async function start(): Promise<string> {
  const model = await startModelServer();
  const { url, workers } = await startServer({ env: { ...ENV, ...model.env } });
  return JSON.stringify({ url, workers, modelUrl: model.url });
}

/**
 * The global set-up of jest: offers one running service to all test files. The first file that asks for the service
 * starts it. All processes that tests start share one compile cache.
 */
export default async function offerSharedServer(): Promise<void> {
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE.NODE_COMPILE_CACHE;
  let started: Promise<string> | undefined;
  const offer = createServer(async (_request, response) => {
    // A file that asks on a connection that an earlier file left open can find it closed.
    response.shouldKeepAlive = false;
    try {
      started ??= start();
      response.end(await started);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  offer.listen(0, '127.0.0.1');
  await once(offer, 'listening');
  offer.unref();
  process.env[SHARED_SERVER_ADDRESS] = `http://127.0.0.1:${(offer.address() as AddressInfo).port}`;
}

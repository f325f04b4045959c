import { TestNats } from '../test/helpers/nats.ts';
import { startProcess } from '../test/helpers/process.ts';
import { untilReady } from '../test/helpers/spread.ts';
import { productionEnvironment, startDatabase, stopDatabase } from './setup.ts';

export interface SpreadSystem {
  /** The address of the first process, which has the gateway. */
  url: string;
  stop(): Promise<void>;
}

/** Starts a process for each list of services, with NATS and a database of their own. The first list has `api`. */
export async function startSpreadSystem(
  name: string,
  services: readonly string[],
  targetPort: number,
): Promise<SpreadSystem> {
  const nats = await TestNats.start();
  const database = await startDatabase(name);
  const env = {
    ...productionEnvironment(database.uri),
    NATS_URL: nats.url,
    PUBLIC_URL: 'http://bench.test',
    OUTBOUND_ALLOW: `127.0.0.1:${targetPort}`,
  };
  const parts = services.map((SERVICES) => startProcess({ ...env, SERVICES }));
  const [url = ''] = await Promise.all(parts.map(({ ready }) => ready));
  await untilReady(url);
  return {
    url,
    async stop() {
      for (const part of parts) part.signal('SIGTERM');
      await Promise.all(parts.map(({ exited }) => exited));
      await stopDatabase(database);
      await nats.kill();
    },
  };
}

import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { dataFolder, startServer, type TestServer } from './server.ts';
import { startDatabase } from './spread.ts';

/** One process, also where tests spread the service, on a database that the test can reach as well. */
export async function startWithDatabase(
  env: Record<string, string>,
): Promise<{ server: TestServer; database: EmbeddedMongo }> {
  const dataDir = dataFolder();
  const database = await startDatabase(dataDir);
  const server = await startServer({ dataDir, env: { MONGODB_URI: database.uri, ...env } });
  return { server, database };
}

import { mongo } from 'mongoose';
import { Registry } from 'prom-client';
import { watchPools } from '../../../mixins/database/pools.ts';
import { gaugePools } from '../../../telemetry/pool-metrics.ts';
import { ScriptedDatabase } from '../../helpers/scripted-database.ts';
import { waitFor } from '../../helpers/wait.ts';

let database: ScriptedDatabase;
let client: mongo.MongoClient;
beforeAll(async () => {
  database = await ScriptedDatabase.start();
});
afterAll(async () => {
  await client.close(true);
  await database.stop();
});

test('the figures of a pool tell of connections, of commands that wait, and of those that get none', async () => {
  const registry = new Registry();
  gaugePools([registry]);
  const value = async (line: string): Promise<number | null> => {
    const found = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
    return found ? Number(found.slice(line.length + 1)) : null;
  };
  const pool = `pool="${database.address}"`;
  const reads = (name: string, expected: number) =>
    waitFor(`${name} ${expected}`, async () => (await value(`${name}{${pool}}`)) === expected);

  client = new mongo.MongoClient(database.uri, { maxPoolSize: 1, waitQueueTimeoutMS: 300 });
  watchPools(client);
  await client.connect();
  await client.db().command({ dbStats: 1 });
  await reads('mongodb_pool_connections', 1);
  await reads('mongodb_pool_connections_checked_out', 0);

  const checkouts = `mongodb_pool_wait_seconds_count{${pool},outcome="ok"}`;
  const before = (await value(checkouts)) ?? 0;

  database.follow(() => 'silence');
  client
    .db()
    .command({ dbStats: 1 })
    .catch(() => undefined);
  await reads('mongodb_pool_connections_checked_out', 1);
  const second = expect(client.db().command({ dbStats: 1 })).rejects.toThrow(/checking out/);
  await reads('mongodb_pool_waiting', 1);
  await second;
  await reads('mongodb_pool_waiting', 0);
  expect(await value(`mongodb_pool_wait_seconds_count{${pool},outcome="failed"}`)).toBe(1);
  expect(await value(checkouts)).toBe(before + 1);

  await client.close(true);
  await reads('mongodb_pool_connections', 0);
  await reads('mongodb_pool_connections_checked_out', 0);
});

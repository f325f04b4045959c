import { type Connection, createConnection } from 'mongoose';
import '../../../mixins/database/database.ts';
import { CUTS, CuttingProxy } from '../../helpers/cutting-proxy.ts';
import { dataFolder, stopServers } from '../../helpers/server.ts';
import { startDatabase } from '../../helpers/spread.ts';

let proxy: CuttingProxy;
let connection: Connection;
beforeAll(async () => {
  proxy = await CuttingProxy.start((await startDatabase(dataFolder())).uri);
  connection = await createConnection(proxy.uri, { serverSelectionTimeoutMS: 5_000 }).asPromise();
});
afterAll(async () => {
  await connection.close();
  await proxy.stop();
  await stopServers();
});

/** Rounds in which the driver looks for the server while the connection of its monitor is closing. */
const ROUNDS = 10;

test.each(CUTS)('all connections are closed at once, again and again: a lost %s', async (lost) => {
  const rows = connection.collection(`rows-${lost}`);
  for (let round = 1; round <= ROUNDS; round++) {
    proxy.order({ at: 1, lost, lasting: false });
    await rows.insertOne({ round });
    expect(await proxy.end()).toEqual({ commands: ['insert', 'insert'], cut: 'insert' });
    expect(await rows.countDocuments()).toBe(round);
  }
});

/**
 * Long fault tests: `node faults/run.ts [rounds] [messages]` kills the server under eight writers (50 times by default),
 * sends it broken messages (100000 by default), and compares every index with its documents.
 */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../index.ts';
import { checkStore } from '../storage/check.ts';
import { DATA_FILE, Store } from '../storage/store.ts';
import { Acknowledged, crashRound } from '../test/crash.ts';
import { fuzz } from '../test/fuzz.ts';
import { temporaryFolder } from '../test/helper.ts';

const rounds = Number(process.argv[2] ?? 50);
const messages = Number(process.argv[3] ?? 100_000);
const { folder, remove } = temporaryFolder();

const known = new Acknowledged();
for (let seed = 1; seed <= rounds; seed++) {
  await crashRound(folder, seed, known);
  assertConsistent();
}
say(`${rounds} rounds of kill -9: ${known.inserted.size} acknowledged inserts, none lost`);

const server = await startEmbeddedMongo({ folder });
await fuzz(server.uri, 7, messages);
const client = await new MongoClient(server.uri).connect();
await client.db().command({ ping: 1 });
await client.close();
await server.stop();
assertConsistent();
say(`${messages} spoiled messages: it still answers`);
remove();

function assertConsistent(): void {
  const store = new Store(join(folder, DATA_FILE), 'NORMAL');
  const faults = checkStore(store);
  store.close();
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

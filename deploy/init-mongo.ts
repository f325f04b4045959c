/**
 * Makes the replica set and the users that `docker-compose.yml` needs, on the MongoDB of this host:
 * `node deploy/init-mongo.ts <file with MONGODB_URI> <file with the administrator's password>`.
 * Repeatable. Ends with 1 when a member is not there yet; whoever started it starts it again.
 */
import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { type Server, setUp, type Wanted } from './replica-set.ts';

const HERE = 'mongodb://127.0.0.1:27017/?directConnection=true';
const WITHIN_MS = 10_000;

type Client = InstanceType<typeof mongoose.mongo.MongoClient>;
const clients: Client[] = [];

try {
  const [uriFile, passwordFile] = process.argv.slice(2);
  if (!uriFile || !passwordFile) throw new Error('two files are needed: address and password');
  const wanted = read(uriFile, passwordFile);
  await setUp(wanted, here(), async (username, password) => here({ username, password }));
  process.stdout.write(
    `replica set ${wanted.set}: ${wanted.members.join(', ')}; users are there\n`,
  );
} catch (error) {
  process.stderr.write(`not done yet: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(clients.map((client) => client.close()));
}

/** All but the administrator's password stands in the address that the services use. */
function read(uriFile: string, passwordFile: string): Wanted {
  const { options } = new mongoose.mongo.MongoClient(readFileSync(uriFile, 'utf8').trim());
  const { replicaSet, credentials, hosts, dbName } = options;
  if (!replicaSet || !credentials)
    throw new Error(`${uriFile}: no replicaSet or no password in it`);
  return {
    set: replicaSet,
    members: hosts.map(({ host, port }) => `${host}:${port}`),
    adminPassword: readFileSync(passwordFile, 'utf8').trim(),
    service: { user: credentials.username, password: credentials.password, database: dbName },
  };
}

function here(auth?: { username: string; password: string }): Server {
  const client = new mongoose.mongo.MongoClient(HERE, {
    serverSelectionTimeoutMS: WITHIN_MS,
    ...(auth ? { auth, authSource: 'admin' } : {}),
  });
  clients.push(client);
  return { command: (database, command) => client.db(database).command(command) };
}

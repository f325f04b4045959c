/**
 * Makes the replica set and the users of `docker-compose.yml` on the MongoDB of this host:
 * `node deploy/init-mongo.ts <file with the administrator's password> <file with a MONGODB_URI>...`, with one address
 * for each service, whose user has the name of the service. The script can be repeated. It exits with 1 when a member
 * cannot be reached yet, and must then be started again.
 */
import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { isServiceName, roleOf } from './mongo-roles.ts';
import { type Server, setUp, type Wanted } from './replica-set.ts';

const HERE = 'mongodb://127.0.0.1:27017/?directConnection=true';
const WITHIN_MS = 10_000;

type Client = InstanceType<typeof mongoose.mongo.MongoClient>;
const clients: Client[] = [];

try {
  const [passwordFile, ...uriFiles] = process.argv.slice(2);
  if (!passwordFile || !uriFiles.length)
    throw new Error('files of password and addresses are needed');
  const wanted = read(passwordFile, uriFiles);
  await setUp(wanted, here(), async (username, password) => here({ username, password }));
  process.stdout.write(
    `replica set ${wanted.set}: ${wanted.members.join(', ')}; there are the users ${wanted.users.map(({ name }) => name).join(', ')}\n`,
  );
} catch (error) {
  process.stderr.write(`not done yet: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(clients.map((client) => client.close()));
}

/** Reads the wanted replica set. The services' addresses have all its data but the administrator's password. */
function read(passwordFile: string, uriFiles: readonly string[]): Wanted {
  const addresses = uriFiles.map(readAddress);
  const [first] = addresses;
  if (!first) throw new Error('no address');
  return {
    set: first.set,
    members: first.members,
    adminPassword: readFileSync(passwordFile, 'utf8').trim(),
    users: addresses.map(({ user }) => user),
  };
}

function readAddress(file: string) {
  const { options } = new mongoose.mongo.MongoClient(readFileSync(file, 'utf8').trim());
  const { replicaSet, credentials, hosts, dbName } = options;
  if (!replicaSet || !credentials) throw new Error(`${file}: no replicaSet or no password in it`);
  const { username: name, password } = credentials;
  if (!isServiceName(name)) throw new Error(`${file}: there is no service for the user ${name}`);
  return {
    set: replicaSet,
    members: hosts.map(({ host, port }) => `${host}:${port}`),
    user: { name, password, role: roleOf(name, dbName) },
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

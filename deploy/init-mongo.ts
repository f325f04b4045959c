/**
 * Makes the users of MongoDB: `node deploy/init-mongo.ts <file of the administrator> <file with a MONGODB_URI>...`, with
 * an address for each service and for `backup`, whose user has that name. The first file has an address of the
 * administrator, or a password: then the script first makes the replica set and the administrator of
 * `docker-compose.yml` on the MongoDB of this host. It can be repeated. It exits with 1 when a member cannot be reached
 * yet, and must then be started again.
 */
import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { BACKUP_ROLE, BACKUP_USER, isServiceName, type Role, roleOf } from './mongo-roles.ts';
import { makeUsers, type Server, setUp, type User } from './replica-set.ts';

const HERE = 'mongodb://127.0.0.1:27017/?directConnection=true';
const WITHIN_MS = 10_000;

type Client = InstanceType<typeof mongoose.mongo.MongoClient>;
const clients: Client[] = [];

try {
  const [adminFile, ...uriFiles] = process.argv.slice(2);
  if (!adminFile || !uriFiles.length) throw new Error('files of password and addresses are needed');
  process.stdout.write(`${await make(readSecret(adminFile), uriFiles.map(readAddress))}\n`);
} catch (error) {
  process.stderr.write(`not done yet: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(clients.map((client) => client.close()));
}

/** Makes the users, and the replica set unless `admin` is an address. Returns a line that says what there is. */
async function make(admin: string, addresses: readonly Address[]): Promise<string> {
  const users = addresses.map(({ user }) => user);
  const names = `there are the users ${users.map(({ name }) => name).join(', ')}`;
  if (/^mongodb(?:\+srv)?:/.test(admin)) {
    await makeUsers(users, serverAt(admin));
    return names;
  }
  const [{ set, members } = {}] = addresses;
  if (!set || !members) throw new Error('the first address has no replicaSet');
  const signIn = async (username: string, password: string) => here({ username, password });
  await setUp({ set, members, adminPassword: admin, users }, here(), signIn);
  return `replica set ${set}: ${members.join(', ')}; ${names}`;
}

interface Address {
  set: string | undefined;
  members: readonly string[];
  user: User;
}

function readSecret(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

/** Reads an address of a user. The addresses have all data of the replica set but the administrator's password. */
function readAddress(file: string): Address {
  const { options } = new mongoose.mongo.MongoClient(readSecret(file));
  const { replicaSet, credentials, hosts, dbName } = options;
  if (!credentials) throw new Error(`${file}: no password in it`);
  const { username: name, password } = credentials;
  return {
    set: replicaSet,
    members: hosts.map(({ host, port }) => `${host}:${port}`),
    user: { name, password, role: roleOfUser(name, dbName, file) },
  };
}

function roleOfUser(name: string, db: string, file: string): Role {
  if (name === BACKUP_USER) return BACKUP_ROLE;
  if (isServiceName(name)) return roleOf(name, db);
  throw new Error(`${file}: there is no service for the user ${name}`);
}

function here(auth?: { username: string; password: string }): Server {
  return serverAt(HERE, auth && { auth, authSource: 'admin' });
}

function serverAt(address: string, options: object = {}): Server {
  const client = new mongoose.mongo.MongoClient(address, {
    serverSelectionTimeoutMS: WITHIN_MS,
    ...options,
  });
  clients.push(client);
  return { command: (database, command) => client.db(database).command(command) };
}

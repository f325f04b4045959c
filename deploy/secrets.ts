import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { SERVICES } from './mongo-roles.ts';
import { CONSOLE, passwordsFile } from './nats-passwords.ts';

/** Random bytes of a password, which cannot be guessed. In hexadecimal they need no escape in an address. */
const PASSWORD_BYTES = 32;
/** Bytes of a key of AES-256, which wraps the data keys of workspaces. */
const MASTER_KEY_BYTES = 32;
/** Random bytes of MongoDB's cluster key. MongoDB accepts at most 1024 characters. */
const CLUSTER_KEY_BYTES = 756;

const MEMBERS = ['mongo-1', 'mongo-2', 'mongo-3'].map((host) => `${host}:27017`).join(',');
const DATABASE = 'workspace-automation?replicaSet=rs0&authSource=admin&w=majority';

/** A group of files with the same secret, which are made together because one file alone is useless. */
export interface Group {
  name: string;
  make(): Record<string, string>;
}

/** The secrets that `docker-compose.yml` mounts, by file name. */
export const GROUPS: readonly Group[] = [
  { name: 'keys of access tokens', make: () => ({ 'jwt-private-keys.json': keySet() }) },
  { name: 'master key of credentials', make: () => ({ 'credentials-master-keys': masterKey() }) },
  { name: 'keys of MongoDB', make: mongo },
  { name: 'users of MongoDB', make: mongoUsers },
  { name: 'users of NATS', make: natsUsers },
];

const password = (): string => randomBytes(PASSWORD_BYTES).toString('hex');

/** Makes a JWK set of one ES256 key. */
function keySet(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ kid: randomUUID(), ...privateKey.export({ format: 'jwk' }) }] });
}

const masterKey = (): string => randomBytes(MASTER_KEY_BYTES).toString('base64');

function mongo(): Record<string, string> {
  return {
    'mongo-key': randomBytes(CLUSTER_KEY_BYTES).toString('base64'),
    'mongo-admin-password': password(),
  };
}

/** Makes a user's address for each service. `init-mongo.ts` grants each user the service's own collections. */
function mongoUsers(): Record<string, string> {
  const address = (user: string) => `mongodb://${user}:${password()}@${MEMBERS}/${DATABASE}`;
  return Object.fromEntries(SERVICES.map((name) => [`mongodb-uri-${name}`, address(name)]));
}

/** Makes the password and address of a user for each service and the console. `nats/users.conf` has the users' rights. */
function natsUsers(): Record<string, string> {
  const passwords = Object.fromEntries([...SERVICES, CONSOLE].map((name) => [name, password()]));
  const addresses = Object.entries(passwords).map(([name, secret]) => [
    `nats-url-${name}`,
    `nats://${name}:${secret}@nats:4222`,
  ]);
  return { 'nats-passwords.conf': passwordsFile(passwords), ...Object.fromEntries(addresses) };
}

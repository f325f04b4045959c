import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { SERVICES } from './mongo-roles.ts';
import { CONSOLE, passwordsFile } from './nats-passwords.ts';

/** How many bytes nobody can guess. Written in hexadecimal they need no escape in an address. */
const PASSWORD_BYTES = 32;
/** MongoDB takes at most 1024 characters. */
const CLUSTER_KEY_BYTES = 756;

const MEMBERS = ['mongo-1', 'mongo-2', 'mongo-3'].map((host) => `${host}:27017`).join(',');
const DATABASE = 'workspace-automation?replicaSet=rs0&authSource=admin&w=majority';

/** The files of one group hold the same secret: one of them alone is of no use. */
export interface Group {
  name: string;
  make(): Record<string, string>;
}

/** What `docker-compose.yml` mounts as secrets, by file name. */
export const GROUPS: readonly Group[] = [
  { name: 'keys of access tokens', make: () => ({ 'jwt-private-keys.json': keySet() }) },
  { name: 'keys of MongoDB', make: mongo },
  { name: 'users of MongoDB', make: mongoUsers },
  { name: 'users of NATS', make: natsUsers },
];

const password = (): string => randomBytes(PASSWORD_BYTES).toString('hex');

/** A JWK set of one ES256 key. */
function keySet(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ kid: randomUUID(), ...privateKey.export({ format: 'jwk' }) }] });
}

function mongo(): Record<string, string> {
  return {
    'mongo-key': randomBytes(CLUSTER_KEY_BYTES).toString('base64'),
    'mongo-admin-password': password(),
  };
}

/** Each service has a user of its own, who is given its own collections by `init-mongo.ts`. */
function mongoUsers(): Record<string, string> {
  const address = (user: string) => `mongodb://${user}:${password()}@${MEMBERS}/${DATABASE}`;
  return Object.fromEntries(SERVICES.map((name) => [`mongodb-uri-${name}`, address(name)]));
}

/** Each service and the console have a user of their own; `nats/users.conf` says what it may do. */
function natsUsers(): Record<string, string> {
  const passwords = Object.fromEntries([...SERVICES, CONSOLE].map((name) => [name, password()]));
  const addresses = Object.entries(passwords).map(([name, secret]) => [
    `nats-url-${name}`,
    `nats://${name}:${secret}@nats:4222`,
  ]);
  return { 'nats-passwords.conf': passwordsFile(passwords), ...Object.fromEntries(addresses) };
}

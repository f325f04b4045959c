import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';

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
  { name: 'passwords of MongoDB', make: mongo },
  { name: 'password of NATS', make: nats },
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
    'mongodb-uri': `mongodb://service:${password()}@${MEMBERS}/${DATABASE}`,
  };
}

function nats(): Record<string, string> {
  const secret = password();
  return {
    'nats-authorization.conf': `authorization { user: "service", password: "${secret}" }`,
    'nats-url': `nats://service:${secret}@nats:4222`,
  };
}

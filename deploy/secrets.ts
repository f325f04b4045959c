import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_USER, SERVICES } from './mongo-roles.ts';
import { CONSOLE, passwordsFile } from './nats-passwords.ts';

/** Random bytes of a password, which cannot be guessed. In hexadecimal they need no escape in an address. */
const PASSWORD_BYTES = 32;
/** Bytes of a key of AES-256, which wraps the data keys of workspaces. */
const MASTER_KEY_BYTES = 32;
/** Random bytes of MongoDB's cluster key. MongoDB accepts at most 1024 characters. */
const CLUSTER_KEY_BYTES = 756;

const MEMBERS = ['mongo-1', 'mongo-2', 'mongo-3'].map((host) => `${host}:27017`).join(',');
const DATABASE = 'workspace-automation';
const OPTIONS = 'replicaSet=rs0&authSource=admin&w=majority';

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
  { name: 'users of MongoDB', make: () => mongoUsers() },
  { name: 'user for backups of MongoDB', make: () => backupUser() },
  { name: 'users of NATS', make: () => natsSecrets(SERVICES) },
];

const password = (): string => randomBytes(PASSWORD_BYTES).toString('hex');

const keySet = (): string => JSON.stringify({ keys: [signingKey()] });

/** Makes an ES256 key that signs access tokens, as a JWK. */
export function signingKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomUUID(), ...privateKey.export({ format: 'jwk' }) };
}

const masterKey = (): string => randomBytes(MASTER_KEY_BYTES).toString('base64');

function mongo(): Record<string, string> {
  return {
    'mongo-key': randomBytes(CLUSTER_KEY_BYTES).toString('base64'),
    'mongo-admin-password': password(),
  };
}

/** Makes an address of a user for each service. `init-mongo.ts` grants each user the service's own collections. */
const mongoUsers = (): Record<string, string> =>
  Object.fromEntries(SERVICES.map((name) => [`mongodb-uri-${name}`, mongoAddress(name, DATABASE)]));

/** Makes an address of the user for backups. It names no database, as `mongodump --oplog` wants it. */
const backupUser = (): Record<string, string> => ({
  [`mongodb-uri-${BACKUP_USER}`]: mongoAddress(BACKUP_USER, ''),
});

const mongoAddress = (user: string, database: string): string =>
  `mongodb://${user}:${password()}@${MEMBERS}/${database}?${OPTIONS}`;

/** Makes the passwords and addresses of users of NATS and of the console. `users.conf` has the rights of the users. */
export function natsSecrets(users: readonly string[]): Record<string, string> {
  const passwords = Object.fromEntries([...users, CONSOLE].map((name) => [name, password()]));
  const addresses = Object.entries(passwords).map(([name, secret]) => [
    `nats-url-${name}`,
    `nats://${name}:${secret}@nats:4222`,
  ]);
  return { 'nats-passwords.conf': passwordsFile(passwords), ...Object.fromEntries(addresses) };
}

/**
 * Writes the files of a group, unless they are there. Returns whether it has. Throws where only some of them are there,
 * because the files of a group belong together.
 */
export function writeGroup({ name, make }: Group, folder: string): boolean {
  const files = Object.entries(make());
  const missing = files.map(([file]) => join(folder, file)).filter((path) => !existsSync(path));
  if (missing.length === 0) return false;
  if (missing.length < files.length) {
    throw new Error(
      `${name}: ${missing.join(', ')} missing, but not all of the files that belong together. Put it back, or remove the others, too.`,
    );
  }
  for (const [file, text] of files)
    writeFileSync(join(folder, file), `${text}\n`, { mode: 0o600, flag: 'wx' });
  return true;
}

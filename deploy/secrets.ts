import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_USER, SERVICES } from './mongo-roles.ts';
import { CONSOLE, passwordsFile, passwordVariable } from './nats-passwords.ts';

/** Random bytes of a password, which cannot be guessed. In hexadecimal they need no escape in an address. */
const PASSWORD_BYTES = 32;
/** Bytes of a key of AES-256, which wraps the data keys of workspaces. */
const MASTER_KEY_BYTES = 32;
/** Random bytes of MongoDB's cluster key. MongoDB accepts at most 1024 characters. */
const CLUSTER_KEY_BYTES = 756;

const MEMBERS = ['mongo-1', 'mongo-2', 'mongo-3'].map((host) => `${host}:27017`).join(',');
/** The file of the passwords of all users of NATS. */
const NATS_PASSWORDS = 'nats-passwords.conf';
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
  { name: 'users of NATS', make: () => natsSecrets([...SERVICES, CONSOLE]) },
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

/** Makes the passwords and addresses of users of NATS. `users.conf` has the rights of the users. */
function natsSecrets(users: readonly string[]): Record<string, string> {
  const passwords = Object.fromEntries(users.map((name) => [name, password()]));
  const addresses = Object.entries(passwords).map(([name, secret]) => [
    addressFile(name),
    `nats://${name}:${secret}@nats:4222`,
  ]);
  return { [NATS_PASSWORDS]: passwordsFile(passwords), ...Object.fromEntries(addresses) };
}

const addressFile = (user: string): string => `nats-url-${user}`;

/**
 * Makes addresses of the users of NATS without one, and of the console, and writes the passwords of these users alone:
 * nats-server refuses a password that no user has. Returns the added users. Throws where only the address is missing.
 */
export function addNatsUsers(users: readonly string[], folder: string): string[] {
  const all = [...users, CONSOLE];
  const file = join(folder, NATS_PASSWORDS);
  const added = all.filter((user) => !existsSync(join(folder, addressFile(user))));
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const user of added) {
    const line = passwordVariable(user);
    if (text.includes(`${line}:`))
      throw new Error(
        `${join(folder, addressFile(user))} missing. Put it back, or remove ${line} from ${file}, too.`,
      );
  }
  const { [NATS_PASSWORDS]: _, ...addresses } = natsSecrets(added);
  writeNew(addresses, folder);
  const passwords = Object.fromEntries(all.map((user) => [user, passwordOf(user, folder)]));
  writeFileSync(file, `${passwordsFile(passwords)}\n`, { mode: 0o600 });
  return added;
}

function passwordOf(user: string, folder: string): string {
  const file = join(folder, addressFile(user));
  const [, secret] = /:\/\/[^:@]+:([^@]+)@/.exec(readFileSync(file, 'utf8')) ?? [];
  if (secret === undefined) throw new Error(`${file}: not an address with a password.`);
  return secret;
}

/**
 * Writes the files of a group, unless they are there. Returns whether it has. Throws where only some of them are there,
 * because the files of a group belong together.
 */
export function writeGroup({ name, make }: Group, folder: string): boolean {
  const files = make();
  const paths = Object.keys(files).map((file) => join(folder, file));
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length === 0) return false;
  if (missing.length < paths.length) {
    throw new Error(
      `${name}: ${missing.join(', ')} missing, but not all of the files that belong together. Put it back, or remove the others, too.`,
    );
  }
  writeNew(files, folder);
  return true;
}

function writeNew(files: Readonly<Record<string, string>>, folder: string): void {
  for (const [file, text] of Object.entries(files))
    writeFileSync(join(folder, file), `${text}\n`, { mode: 0o600, flag: 'wx' });
}

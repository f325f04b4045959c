import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../../../environment/environment.ts';
import { type KeySet, readKeySet } from '../../../environment/values/key-set.ts';

let keys: KeySet | undefined;
/** The keys of access tokens: from the environment, or made once and stored in development. */
export function signingKeys(): KeySet {
  keys ??= environment.JWT_PRIVATE_KEYS ?? keptKeys(environment.DATA_DIR);
  return keys;
}

/** The public keys, by which other systems check access tokens. */
export const publicKeys = () =>
  signingKeys().map(({ kid, publicKey }) => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const fixed = { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' } as const;
    return { ...fixed, x, y, kid };
  });

function keptKeys(dataDir: string): KeySet {
  const folder = join(dataDir, 'keys');
  const file = join(folder, 'access-tokens.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = readKeySet(readIfThere(file) ?? makeOnce(folder, file));
  keepForOwner(folder, file);
  if (!kept) throw new Error(`${file} holds no ES256 keys; remove it to have new ones made`);
  return kept;
}

/** Sets the permissions of the folder and the file to the owner alone. A restored copy may be readable by others. */
function keepForOwner(folder: string, file: string): void {
  if (process.platform === 'win32') return;
  try {
    chmodSync(folder, 0o700);
    chmodSync(file, 0o600);
  } catch (error) {
    // The file of another user, or a file system without permissions.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(code)) throw error;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes the file of keys by a link of a complete draft. Of concurrent processes the first makes the keys, the others read them. */
function makeOnce(folder: string, file: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const draft = join(folder, `${randomUUID()}.draft`);
  const set = { keys: [privateKey.export({ format: 'jwk' })] };
  writeFileSync(draft, JSON.stringify(set), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
}

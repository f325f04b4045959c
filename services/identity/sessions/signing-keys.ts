import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { environment } from '../../../environment/environment.ts';
import { type KeySet, readKeySet } from '../../../environment/values/key-set.ts';
import { readKeptFile } from '../../../support/kept-file.ts';

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
  const file = join(dataDir, 'keys', 'access-tokens.json');
  const kept = readKeySet(readKeptFile(file, makeKeySet));
  if (!kept) throw new Error(`${file} holds no ES256 keys; remove it to have new ones made`);
  return kept;
}

function makeKeySet(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
}

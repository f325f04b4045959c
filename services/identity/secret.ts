import { randomBytes } from 'node:crypto';

/**
 * A new secret: 256 random bits, base64url. It is stored as its hash (`hashOf`): a secret of 256 bits needs no
 * salt and no slow hash.
 */
export const newSecret = (): string => randomBytes(32).toString('base64url');

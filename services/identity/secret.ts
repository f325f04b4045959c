import { hash, randomBytes } from 'node:crypto';

/** A new secret: 256 random bits, base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The form in which a secret is stored. A secret of 256 bits needs no salt and no slow hash. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url');

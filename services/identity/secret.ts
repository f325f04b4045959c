import { hash, randomBytes } from 'node:crypto';

/** A secret nobody can guess: 256 random bits, base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The form in which a secret is kept. Secrets of 256 bits need no salt and no slow hash. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url');

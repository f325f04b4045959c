import { hash } from 'node:crypto';

/** The SHA-256 hash of some data. What is stored keeps the encoding of its first version. */
export const hashOf = (
  data: string | Buffer,
  encoding: 'base64url' | 'base64' = 'base64url',
): string => hash('sha256', data, encoding);

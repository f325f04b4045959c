import { hash } from 'node:crypto';

/** The SHA-256 hash of the data. Stored hashes keep the encoding of their first version, so two encodings exist. */
export const hashOf = (
  data: string | Buffer,
  encoding: 'base64url' | 'base64' = 'base64url',
): string => hash('sha256', data, encoding);

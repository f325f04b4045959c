import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2';
import { emailKey } from '../../../contract/fields.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { isCommonPassword } from './common-passwords.ts';
import { newSecret } from '../secret.ts';
import { inPasswordQueue } from './password-queue.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. Hashing runs off the event loop. */
const ARGON2ID: Options = {
  algorithm: 2 as Algorithm, // Argon2id: an ambient const enum, whose members cannot be named here
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** The composed form of a password, so that the same text of another keyboard is the same password. */
const normalizePassword = (password: string): string => password.normalize('NFC');

const hashNow = (password: string): Promise<string> => hash(normalizePassword(password), ARGON2ID);

/** Hashes a password in its share's turn; 503 when the queue is full. */
export const hashPassword = (password: string, share: Share): Promise<string> =>
  inPasswordQueue(share, () => hashNow(password));

/** The fields of a user whose password nobody knows, without the networks from which the former one was given. */
export async function unknownPassword(share: Share) {
  return { passwordHash: await hashPassword(newSecret(), share), knownNetworks: [] };
}

/** The hash of a random password. A comparison with this decoy takes as long as one with an account's hash. */
let decoy: Promise<string> | undefined;
const getDecoyHash = (): Promise<string> => {
  decoy ??= hashNow(crypto.randomUUID());
  return decoy;
};

/**
 * Whether the password matches the stored hash, compared in its share's turn; 503 when the queue is full. Without a
 * hash the password is compared with the decoy, and the result is false.
 */
export async function verifyPassword(
  stored: string | null,
  password: string,
  share: Share,
): Promise<boolean> {
  const compared = stored ?? (await getDecoyHash());
  const matches = await inPasswordQueue(share, () => verify(compared, normalizePassword(password)));
  return matches && stored !== null;
}

/** Makes the decoy hash at start, so that the first unknown address takes no longer than the next. */
export const preparePasswords = async (): Promise<void> => void (await getDecoyHash());

/** Refuses a password that attackers try first: a common one, or the account's own address. */
export function assertStrong(field: string, password: string, email: string): void {
  const text = normalizePassword(password).toLowerCase();
  if (text === emailKey(email)) {
    throw invalidField(field, 'weak_password', 'must not be the e-mail address');
  }
  if (isCommonPassword(text)) {
    throw invalidField(field, 'weak_password', 'is too common: attackers try it first');
  }
}

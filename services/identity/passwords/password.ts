import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2';
import { emailKey } from '../../../contract/fields.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { isCommonPassword } from './common-passwords.ts';
import { inPasswordQueue } from './password-queue.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. Hashing runs off the event loop. */
const ARGON2ID: Options = {
  algorithm: 2 as Algorithm, // Argon2id: an ambient const enum, whose members cannot be named here
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** The same text typed on another keyboard is the same password. */
const composed = (password: string): string => password.normalize('NFC');

const hashNow = (password: string): Promise<string> => hash(composed(password), ARGON2ID);

/** Hashes in the turn of that share; 503 when too much waits. */
export const hashPassword = (password: string, share: Share): Promise<string> =>
  inPasswordQueue(share, () => hashNow(password));

/** A hash that no password is known for, made like any other: compared where there is none. */
let nobodys: Promise<string> | undefined;
const hashOfNobody = (): Promise<string> => {
  nobodys ??= hashNow(crypto.randomUUID());
  return nobodys;
};

/**
 * Whether the password is the one hashed, found out in the turn of that share; 503 when too much waits.
 * Without a hash the same work is done, and it is not.
 */
export async function verifyPassword(
  kept: string | null,
  password: string,
  share: Share,
): Promise<boolean> {
  const compared = kept ?? (await hashOfNobody());
  const matches = await inPasswordQueue(share, () => verify(compared, composed(password)));
  return matches && kept !== null;
}

/** Made ahead, so that the first unknown address takes no longer than the next. */
export const preparePasswords = async (): Promise<void> => void (await hashOfNobody());

/** Refuses what an attacker would try first. */
export function assertStrong(field: string, password: string, email: string): void {
  const text = composed(password).toLowerCase();
  if (text === emailKey(email)) {
    throw invalidField(field, 'weak_password', 'must not be the e-mail address');
  }
  if (isCommonPassword(text)) {
    throw invalidField(field, 'weak_password', 'is too common: attackers try it first');
  }
}

import { environment } from '../../environment.ts';
import { logger } from '../../logging.ts';
import { emailKey } from '../../mixins/fields.ts';
import { Problem } from '../../mixins/problem.ts';
import type { UserDocument } from '../../models/user.model.ts';
import type { CallContext } from './call-context.ts';
import { unverifiedUntil } from './expired-accounts.ts';
import { EmailAlreadyRegistered, RegistrationClosed } from './identity.problems.ts';
import { withNetwork } from './known-networks.ts';
import { assertStrong, hashPassword } from './password.ts';
import { shareOf } from './password-queue.ts';
import { openSession } from './session.ts';
import { findByEmail, insertUser, type Person } from './users.ts';
import { mailConfirmation, mailVerification } from './verification-mail.ts';

type Registration = Person & { password: string };

/**
 * A free address gets a session at once. One that stands in the directory gets a mail: whoever made
 * that entry, and whoever asks now, has proven nothing about it.
 */
export async function register(registration: Registration, { client }: CallContext) {
  if (environment.REGISTRATION === 'closed') {
    throw new Problem(RegistrationClosed, 'Nobody can register here.');
  }
  assertStrong('password', registration.password, registration.email);
  assertFree(await findByEmail(registration.email));
  const share = shareOf(client, emailKey(registration.email));
  const passwordHash = await hashPassword(registration.password, share);
  const user = await insertUser(registration, {
    passwordHash,
    createdBy: 'self',
    knownNetworks: withNetwork(null, client) ?? [],
    unverifiedUntil: unverifiedUntil(),
  });
  if (!user) return claimEntry(registration, passwordHash);
  await mailVerification(user).catch((err: Error) => {
    logger.error({ err }, 'A mail to verify an address failed; the next sign-in tries again');
  });
  return openSession(user);
}

/** Somebody has the address. A directory entry becomes theirs when the mail is answered. */
async function claimEntry({ email, firstName, lastName }: Registration, passwordHash: string) {
  const entry = assertFree(await findByEmail(email));
  if (entry) await mailConfirmation(entry, { passwordHash, firstName, lastName });
  return { verification: 'mailed' as const };
}

/** Lets through nobody and a directory entry. */
function assertFree(user: UserDocument | null): UserDocument | null {
  if (!user?.passwordHash) return user;
  throw new Problem(EmailAlreadyRegistered, 'There is an account with this e-mail address.');
}

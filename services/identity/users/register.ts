import { emailKey } from '../../../contract/fields.ts';
import { Problem } from '../../../contract/problem.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { logger } from '../../../support/logging.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { assertMayRegister } from '../email-domains/domain-of-address.ts';
import { mailConfirmation, mailVerification } from '../email-verification/verification-mail.ts';
import { EmailAlreadyRegistered } from '../identity.problems.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { assertStrong, hashPassword } from '../passwords/password.ts';
import { shareOf } from '../passwords/password-queue.ts';
import { withNetwork } from '../sessions/known-networks.ts';
import { openSession } from '../sessions/session.ts';
import { isRestorable, unverifiedUntil } from './addresses.ts';
import { actorOfUser, findByEmail, insertUser } from './users.ts';

type Registration = Params<'identity.register'>;

/**
 * Registers a person. A free address gets a session at once; the address of a directory entry gets a mail,
 * because neither the entry nor the registration proves the owner of the address.
 */
export async function register(
  registration: Registration,
  { client, mails, changeAs }: CallContext,
) {
  await assertMayRegister(registration.email);
  assertStrong('password', registration.password, registration.email);
  assertFree(await findByEmail(registration.email));
  if (await isRestorable(emailKey(registration.email))) throw registered();
  const share = shareOf(client, emailKey(registration.email));
  const passwordHash = await hashPassword(registration.password, share);
  const _id = await nextId('users');
  const account = {
    _id,
    passwordHash,
    knownNetworks: withNetwork(null, client) ?? [],
    unverifiedUntil: unverifiedUntil(),
  };
  const change = changeAs(actorOfUser({ ...registration, _id }));
  const user = await insertUser(registration, account, change);
  if (!user) return claimEntry(registration, passwordHash, mails);
  await mailVerification(user, mails).catch((err: Error) => {
    logger.error({ err }, 'A mail to verify an address failed; the next sign-in tries again');
  });
  return openSession(user, client);
}

/** Mails the owner of a directory entry's address, who takes the entry over by answering the mail. */
async function claimEntry(
  { email, firstName, lastName }: Registration,
  passwordHash: string,
  mails: MailOutbox,
) {
  const entry = assertFree(await findByEmail(email));
  if (!entry) throw registered(); // the address is one that its account can restore by a mailed link
  await mailConfirmation(entry, { passwordHash, firstName, lastName }, mails);
  return { verification: 'mailed' as const };
}

/** Throws when the address has an account with a password; otherwise returns the address's directory entry or null. */
function assertFree(user: UserDocument | null): UserDocument | null {
  if (!user?.passwordHash) return user;
  throw registered();
}

const registered = (): Problem =>
  new Problem(EmailAlreadyRegistered, 'There is an account with this e-mail address.');

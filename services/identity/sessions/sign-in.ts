import { emailKey } from '../../../contract/fields.ts';
import { Problem } from '../../../contract/problem.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';
import { logger } from '../../../support/logging.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { assureVerificationMailed } from '../email-verification/verification-mail.ts';
import { type SignInOutcome, signInEnded } from '../identity.diagnostics.ts';
import { InvalidCredentials } from '../identity.problems.ts';
import { checkPassword } from '../passwords/check-password.ts';
import { findByEmail } from '../users/users.ts';
import { withNetwork } from './known-networks.ts';
import { openSession } from './session.ts';

/**
 * Begins a session for the right password. An unknown address, an account without a password and a wrong password
 * take the same work, count the same and get the same answer.
 */
export async function signIn(attempt: Params<'identity.signIn'>, call: CallContext) {
  try {
    const session = await openSessionFor(attempt, call);
    signInEnded.publish({ outcome: 'succeeded' });
    return session;
  } catch (error) {
    signInEnded.publish({ outcome: outcomeOf(error) });
    throw error;
  }
}

/** The outcomes of refused attempts by the status of the refusal. */
const REFUSALS: Record<number, SignInOutcome> = { 401: 'wrong', 429: 'limited' };

const outcomeOf = (error: unknown): SignInOutcome =>
  (error instanceof Problem && REFUSALS[error.code]) || 'unavailable';

async function openSessionFor({ email, password }: Params<'identity.signIn'>, call: CallContext) {
  await call.limits.admitNetwork(call.client);
  const user = await findByEmail(email);
  const passwordHash = user?.passwordHash ?? null;
  const check = { emailKey: emailKey(email), user, passwordHash, password };
  if (!(await checkPassword(check, call)) || !user) throw refused();
  await assureVerificationMailed(user, call.mails).catch((err: Error) => {
    logger.error({ err }, 'A mail to verify an address failed; the next sign-in tries again');
  });
  const session = await openSession(user, call.client);
  // A change of the password before the session's write has not ended the session, so the hash is compared again.
  if (!(await storeNetwork(user, call))) throw refused();
  return session;
}

/**
 * Stores the client's network, once a day; false when the password has changed or the account is closed.
 * A sign-in is no change of the user: the update leaves `revision` as it is, so that no change of the
 * password is decided again because of a sign-in.
 */
async function storeNetwork(user: UserDocument, { client }: CallContext): Promise<boolean> {
  const holds = { _id: user._id, passwordHash: user.passwordHash, closedAt: null };
  const knownNetworks = withNetwork(user, client);
  if (!knownNetworks) return (await UserModel.exists(holds)) !== null;
  const { matchedCount } = await UserModel.updateOne(holds, { knownNetworks });
  return matchedCount > 0;
}

const refused = (): Problem =>
  new Problem(InvalidCredentials, 'The e-mail address or the password is wrong.');

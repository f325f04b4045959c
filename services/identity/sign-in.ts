import { logger } from '../../logging.ts';
import { Problem } from '../../mixins/problem.ts';
import { UserModel } from '../../models/user.model.ts';
import { InvalidCredentials } from './identity.problems.ts';
import { verifyPassword } from './password.ts';
import { openSession } from './session.ts';
import { findByEmail } from './users.ts';
import { assureVerificationMailed } from './verification-mail.ts';

/**
 * Begins a session for the right password. An unknown address, one without a password and a wrong
 * password take the same work and get the same answer.
 */
export async function signIn({ email, password }: { email: string; password: string }) {
  const user = await findByEmail(email);
  const passwordHash = user?.passwordHash ?? null;
  const matches = await verifyPassword(passwordHash, password);
  if (!user || !matches) throw refused();
  await assureVerificationMailed(user).catch((err: Error) => {
    logger.error({ err }, 'A mail to verify an address failed; the next sign-in tries again');
  });
  const session = await openSession(user);
  // A change of the password ends the sessions there are; it must not miss the one just opened.
  if (!(await UserModel.exists({ _id: user._id, passwordHash }))) throw refused();
  return session;
}

const refused = (): Problem =>
  new Problem(InvalidCredentials, 'The e-mail address or the password is wrong.');

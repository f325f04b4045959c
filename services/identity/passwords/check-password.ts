import type { UserDocument } from '../../../models/user.model.ts';
import type { CallContext } from '../call-context.ts';
import { verifyPassword } from './password.ts';
import { shareOf } from './password-queue.ts';

interface Check {
  emailKey: string;
  user: UserDocument | null;
  /** The hash to compare with; null for an account without a password. */
  passwordHash: string | null;
  password: string;
  /** The session of the attempt; without a session the attempt counts by the client's network. */
  sessionId?: string;
}

/**
 * Whether the password matches the hash. Each check counts as an attempt at the account, before the
 * comparison, and is refused with 429 beyond the limit. A wrong password is a security event.
 */
export async function checkPassword(
  { passwordHash, password, ...attempt }: Check,
  { client, limits, log }: CallContext,
): Promise<boolean> {
  const userId = attempt.user?._id ?? null;
  await limits.admitAccount({ ...attempt, client }, () => log('account.locked', { userId }));
  const matches = await verifyPassword(passwordHash, password, shareOf(client, attempt.emailKey));
  if (!matches) log('account.sign-in-failed', { userId });
  return matches;
}

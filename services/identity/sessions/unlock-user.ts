import { SessionModel } from '../../../models/session.model.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import type { ResetCounter } from '../contract/operations.ts';
import { signInUnlocked } from '../identity.events.ts';
import { getUser } from '../users/users.ts';

/** Sessions of a user whose counters are reset, the latest. The counters of further sessions empty by themselves. */
const MAX_SESSIONS = 1_000;

/**
 * Resets the counters of attempts to give the password of an account, and tells every process. Returns the counters
 * that had counted an attempt.
 */
export async function unlockUser(
  { userId, address }: Params<'identity.unlockUser'>,
  { limits, log, emit }: CallContext,
): Promise<{ counters: ResetCounter[] }> {
  const { emailKey, knownNetworks = [] } = await getUser(userId);
  const sessions = await SessionModel.find({ userId, revokedAt: null }, { _id: 1 })
    .sort({ createdAt: -1 })
    .limit(MAX_SESSIONS)
    .lean();
  const counters = await limits.reset({
    emailKey,
    knownHashes: knownNetworks.map(({ hash }) => hash),
    sessionIds: sessions.map(({ _id }) => _id),
    address,
  });
  await emit(signInUnlocked, { userId });
  const counted = counters.filter(({ attempts }) => attempts > 0);
  log('account.unlocked', { userId, locked: counted.filter(({ locked }) => locked).length });
  return { counters: counted };
}

import type { PersonCaller, ServiceAccountCaller } from '../../../contract/caller.ts';
import { type SessionDocument, SessionModel } from '../../../models/session.model.ts';
import { logger } from '../../../support/logging.ts';
import { findCallingAccount } from '../service-accounts/find-account.ts';
import type { ExternalTokens } from '../service-accounts/provider/external-token.ts';
import { findUser, fullName } from '../users/users.ts';
import { type AccessClaims, readToken } from './access-token.ts';
import { findSession, isOfPresentEpoch } from './session.ts';

/** Milliseconds between two writes of a session's last use. A use within them is not stored. */
const USE_STORED_EVERY_MS = 60_000;

/** The holder of this access token; null when the token is not valid or has ended. */
export async function authenticate(
  token: string,
  external: ExternalTokens | null = null,
): Promise<PersonCaller | ServiceAccountCaller | null> {
  const claims = readToken(token);
  if (!claims) return external?.findCaller(token) ?? null;
  const { holder, id, sid } = claims;
  if (holder === 'service-account') return findCallingAccount(id, sid);
  return findPerson({ userId: id, sessionId: sid });
}

async function findPerson({ userId, sessionId }: AccessClaims): Promise<PersonCaller | null> {
  const [session, user] = await Promise.all([findSession(sessionId, userId), findUser(userId)]);
  if (!session || !user || !isOfPresentEpoch(session, user)) return null;
  storeUse(session, new Date());
  return { kind: 'person', userId, name: fullName(user), sessionId };
}

/** Stores the time of the session's last use. The write is not awaited, and a failure is only logged. */
function storeUse({ _id, lastUsedAt }: Readonly<SessionDocument>, now: Date): void {
  const stale = new Date(now.getTime() - USE_STORED_EVERY_MS);
  if (lastUsedAt > stale) return;
  SessionModel.updateOne({ _id, lastUsedAt: { $lte: stale } }, { lastUsedAt: now }).catch(
    (err: unknown) => logger.warn({ err }, 'The use of a session was not stored'),
  );
}

import { findUser, fullName } from '../users/users.ts';
import { readAccessToken } from './access-token.ts';
import { findSession, isOfPresentEpoch } from './session.ts';

/** The person whose access token this is, if their session lives. */
export async function authenticate(token: string) {
  const claims = readAccessToken(token);
  if (!claims) return null;
  const { userId, sessionId } = claims;
  const [session, user] = await Promise.all([findSession(sessionId, userId), findUser(userId)]);
  if (!session || !user || !isOfPresentEpoch(session, user)) return null;
  return { kind: 'person' as const, userId, name: fullName(user), sessionId };
}

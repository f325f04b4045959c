import type { PersonCaller } from '../../../contract/caller.ts';
import { findUser, fullName } from '../users/users.ts';
import { readAccessToken } from './access-token.ts';
import { findSession, isOfPresentEpoch } from './session.ts';

/** The person with this access token; null when the token is not valid or its session has ended. */
export async function authenticate(token: string): Promise<PersonCaller | null> {
  const claims = readAccessToken(token);
  if (!claims) return null;
  const { userId, sessionId } = claims;
  const [session, user] = await Promise.all([findSession(sessionId, userId), findUser(userId)]);
  if (!session || !user || !isOfPresentEpoch(session, user)) return null;
  return { kind: 'person', userId, name: fullName(user), sessionId };
}

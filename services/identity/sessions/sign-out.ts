import { RefreshTokenModel } from '../../../models/refresh-token.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { CallContext } from '../call-context.ts';
import { sessionRevoked } from '../identity.events.ts';
import { revokeSession } from './session.ts';

/** Revokes the session of a refresh token, used or not. An unknown token changes nothing. */
export async function signOut(token: string, { emit, log }: CallContext): Promise<void> {
  const known = await RefreshTokenModel.findById(hashOf(token)).lean().exec();
  if (!known) return;
  const { userId, sessionId } = known;
  if (!(await revokeSession(sessionId))) return;
  log('session.revoked', { userId, sessionId });
  await emit(sessionRevoked, { userId });
}

import { RefreshTokenModel } from '../../models/refresh-token.model.ts';
import type { IdentityEvents } from './events.ts';
import { hashOf } from './secret.ts';
import { revokeSession } from './session.ts';

/** Ends the session of a refresh token, used or not. An unknown one has nothing to end. */
export async function signOut(token: string, events: IdentityEvents): Promise<void> {
  const known = await RefreshTokenModel.findById(hashOf(token)).lean().exec();
  if (!known) return;
  if (await revokeSession(known.sessionId)) await events.sessionRevoked(known.userId);
}

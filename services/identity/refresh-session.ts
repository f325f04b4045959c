import { Problem } from '../../mixins/problem.ts';
import { type RefreshTokenDocument, RefreshTokenModel } from '../../models/refresh-token.model.ts';
import { SessionModel } from '../../models/session.model.ts';
import type { IdentityEvents } from './events.ts';
import { InvalidRefreshToken } from './identity.problems.ts';
import { hashOf } from './secret.ts';
import { issueTokens, revokeSession, sessionEnd } from './session.ts';
import { findUser } from './users.ts';

/**
 * Replaces a refresh token. One that was replaced before is in two hands, and nobody can tell which
 * is the thief's: its session ends, with every token of the family (RFC 9700, 4.14.2).
 */
export async function refreshSession(token: string, events: IdentityEvents) {
  const used = await useToken(token);
  if (!used) {
    await endReused(token, events);
    throw refused();
  }
  const user = (await prolong(used.sessionId)) && (await findUser(used.userId));
  if (!user) throw refused();
  return issueTokens(user, used.sessionId);
}

const refused = (): Problem =>
  new Problem(InvalidRefreshToken, 'The refresh token is not valid: sign in again.');

/** Marks the token used: of two who come at once, one gets it. */
function useToken(token: string): Promise<RefreshTokenDocument | null> {
  const now = new Date();
  return RefreshTokenModel.findOneAndUpdate(
    { _id: hashOf(token), usedAt: null, expiresAt: { $gt: now } },
    { usedAt: now },
  )
    .lean()
    .exec();
}

async function endReused(token: string, events: IdentityEvents): Promise<void> {
  const reused = await RefreshTokenModel.findOne({ _id: hashOf(token), usedAt: { $ne: null } })
    .lean()
    .exec();
  if (reused && (await revokeSession(reused.sessionId))) await events.sessionRevoked(reused.userId);
}

/** Moves the session's end on; whether it is still open. */
async function prolong(sessionId: string): Promise<boolean> {
  const { matchedCount } = await SessionModel.updateOne(
    { _id: sessionId, revokedAt: null },
    { expiresAt: sessionEnd(new Date()) },
  );
  return matchedCount > 0;
}

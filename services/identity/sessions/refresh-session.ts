import type { Client } from '../../../contract/client.ts';
import { Problem } from '../../../contract/problem.ts';
import {
  type RefreshTokenDocument,
  RefreshTokenModel,
} from '../../../models/refresh-token.model.ts';
import { type SessionDocument, SessionModel } from '../../../models/session.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { CallContext } from '../call-context.ts';
import { sessionRevoked } from '../identity.events.ts';
import { InvalidRefreshToken } from '../identity.problems.ts';
import { findUser } from '../users/users.ts';
import { presentKid } from './derived-key.ts';
import { successorOf } from './refresh-successor.ts';
import { isOfPresentEpoch, issueTokens, revokeSession, sessionEnd } from './session.ts';
import { describeClient } from './session-client.ts';

/** Milliseconds after its first use within which a repeated refresh gets the same answer. A later use is a reuse. */
const REPEAT_MS = 5_000;

/**
 * Replaces a refresh token. A repeated request within 5 s gets the same successor. A later
 * request means a stolen token and ends the session with every token of the family (RFC 9700, 4.14.2).
 */
export async function refreshSession(token: string, call: CallContext) {
  const used = await useToken(token);
  if (!used) throw refused();
  const { userId, sessionId, successorKid: kid } = used;
  if (isReuse(used)) {
    await endFamily(used, call);
    throw refused(userId);
  }
  const [session, user] = await Promise.all([prolong(sessionId, call.client), findUser(userId)]);
  const successor = successorOf(token, kid ?? presentKid());
  if (!session || !user || !isOfPresentEpoch(session, user) || !successor) throw refused(userId);
  return issueTokens(user, session, successor);
}

const refused = (userId?: number): Problem =>
  new Problem(
    InvalidRefreshToken,
    'The refresh token is not valid: sign in again.',
    userId === undefined ? {} : { principal: `user:${userId}` },
  );

/** The token with its first use, which one conditional update decides; null for an unknown or expired token. */
async function useToken(token: string): Promise<RefreshTokenDocument | null> {
  const now = new Date();
  const known = { _id: hashOf(token), expiresAt: { $gt: now } };
  const first = await RefreshTokenModel.findOneAndUpdate(
    { ...known, usedAt: null },
    { usedAt: now, successorKid: presentKid() },
    { returnDocument: 'after' },
  )
    .lean()
    .exec();
  return first ?? RefreshTokenModel.findOne(known).lean().exec();
}

const isReuse = ({ usedAt }: RefreshTokenDocument): boolean =>
  usedAt !== null && Date.now() - usedAt.getTime() > REPEAT_MS;

async function endFamily(
  { sessionId, userId }: RefreshTokenDocument,
  { emit, log }: CallContext,
): Promise<void> {
  log('session.refresh-token-reused', { userId, sessionId });
  if (await revokeSession(sessionId)) await emit(sessionRevoked, { userId });
}

/** Postpones the session's end and stores the client; null when the session is revoked. */
function prolong(sessionId: string, client: Client): Promise<SessionDocument | null> {
  const lastUsedAt = new Date();
  return SessionModel.findOneAndUpdate(
    { _id: sessionId, revokedAt: null },
    { expiresAt: sessionEnd(lastUsedAt), lastUsedAt, ...describeClient(client) },
  )
    .lean()
    .exec();
}

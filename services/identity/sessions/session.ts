import { randomUUID } from 'node:crypto';
import type { Client } from '../../../contract/client.ts';
import { batchFind } from '../../../mixins/database/batch-loader.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { RefreshTokenModel } from '../../../models/refresh-token.model.ts';
import { type SessionDocument, SessionModel } from '../../../models/session.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { newSecret } from '../secret.ts';
import { showUser } from '../users/users.ts';
import { ACCESS_TOKEN_SECONDS } from '../contract/fields.ts';
import { signAccessToken } from './access-token.ts';
import { describeClient } from './session-client.ts';

/** Milliseconds from the last refresh to the end of the session. */
const REFRESH_TOKEN_MS = 30 * 24 * 3600 * 1000;

export const sessionEnd = (now: Date): Date => new Date(now.getTime() + REFRESH_TOKEN_MS);

/** Begins a session of the client and returns the session's first tokens. */
export async function openSession(user: UserDocument, client: Client) {
  const now = new Date();
  const sessionId = randomUUID();
  await SessionModel.create({
    _id: sessionId,
    userId: user._id,
    epoch: epochOf(user),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: sessionEnd(now),
    ...describeClient(client),
  });
  return issueTokens(user, { _id: sessionId, createdAt: now });
}

/** Issues tokens of a session. A refresh token that is stored already is returned again. */
export async function issueTokens(
  user: UserDocument,
  { _id: sessionId, createdAt: signedInAt }: Pick<SessionDocument, '_id' | 'createdAt'>,
  refreshToken = newSecret(),
) {
  await storeRefreshToken(refreshToken, sessionId, user._id);
  return {
    accessToken: signAccessToken({ userId: user._id, sessionId }, signedInAt),
    refreshToken,
    tokenType: 'Bearer' as const,
    expiresIn: ACCESS_TOKEN_SECONDS,
    user: showUser(user),
  };
}

async function storeRefreshToken(token: string, sessionId: string, userId: number): Promise<void> {
  const now = new Date();
  try {
    await RefreshTokenModel.create({
      _id: hashOf(token),
      sessionId,
      userId,
      createdAt: now,
      expiresAt: sessionEnd(now),
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The session, if it has neither expired nor been revoked. */
export async function findSession(
  sessionId: string,
  userId: number,
): Promise<Readonly<SessionDocument> | null> {
  const session = await findUnrevoked(sessionId);
  return session && session.userId === userId && session.expiresAt > new Date() ? session : null;
}
const findUnrevoked = batchFind<SessionDocument>(SessionModel, { filter: { revokedAt: null } });

export const epochOf = ({ sessionEpoch }: Pick<UserDocument, 'sessionEpoch'>): number =>
  sessionEpoch ?? 0;

export const resetEpochOf = ({ resetEpoch }: Pick<UserDocument, 'resetEpoch'>): number =>
  resetEpoch ?? 0;

/** The user's epoch after a change of the password, which ends every session but a carried one. */
export const nextSessionEpoch = (user: Pick<UserDocument, 'sessionEpoch'>): number =>
  epochOf(user) + 1;

/**
 * The user's epochs after a takeover by mail, which ends every session and every reset token. `sessionEpoch`
 * grows by more than the 1 of `carrySession`, so that a concurrent change of the password carries no session
 * over.
 */
export const epochsOfTakeover = (user: Pick<UserDocument, 'sessionEpoch' | 'resetEpoch'>) => ({
  sessionEpoch: epochOf(user) + 2,
  resetEpoch: resetEpochOf(user) + 1,
});

/**
 * Whether no change of the user has ended the session: the session's epoch is not before the user's epoch, or the
 * change that began the user's epoch carried the session.
 */
export const isOfPresentEpoch = (
  { _id, epoch }: Readonly<SessionDocument>,
  user: UserDocument,
): boolean => (epoch ?? 0) >= epochOf(user) || isCarried(_id, user);

const isCarried = (sessionId: string, user: UserDocument): boolean =>
  user.carriedSession?.id === sessionId && user.carriedSession.epoch === epochOf(user);

/** Carries one session over the next change that ends the user's sessions. */
export async function carrySession(sessionId: string, user: UserDocument): Promise<void> {
  await SessionModel.updateOne({ _id: sessionId }, { epoch: nextSessionEpoch(user) });
}

/** The fields that a session gets at its end. Where the client was is not kept. */
const revocation = () => ({ revokedAt: new Date(), address: null, userAgent: null });

/** Revokes one session. Returns false for a session that was revoked before. */
export async function revokeSession(sessionId: string): Promise<boolean> {
  const { modifiedCount } = await SessionModel.updateOne(
    { _id: sessionId, revokedAt: null },
    revocation(),
  );
  return modifiedCount > 0;
}

/** Revokes every session of the user, except `kept`. */
export async function revokeSessions(userId: number, kept?: string): Promise<void> {
  await SessionModel.updateMany(
    { userId, ...(kept === undefined ? {} : { _id: { $ne: kept } }), revokedAt: null },
    revocation(),
  );
}

import { randomUUID } from 'node:crypto';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import {
  type ClientAuthentication,
  type CredentialTokenDocument,
  CredentialTokenModel,
  type TokenFailureCode,
} from '../../../models/credential-token.model.ts';
import type { OAuthCredential } from './access-token.ts';
import type { SeenToken } from './token-decision.ts';

/** Replaced tokens that are kept for masks. Older tokens are forgotten. */
const MAX_EARLIER = 3;
/** Milliseconds after the last write for which a document is stored. No token is used for longer. */
const STORED_MS = 48 * 60 * 60 * 1_000;
/** Milliseconds by which a token is renewed ahead of its expiry at most, and the part of its lifetime. */
const AHEAD_MS = 60_000;
const AHEAD_PART = 0.1;

/** The lease of a process that asks a token endpoint, and what the process has found at its claim. */
export interface TokenLease {
  credentialId: number;
  holder: string;
  /** The stored token after the claim. */
  claimed: CredentialTokenDocument;
}

/** The stored token with the database's time; null without a stored token. */
export async function findToken(credentialId: number): Promise<SeenToken | null> {
  const [seen] = await CredentialTokenModel.aggregate<SeenToken>([
    { $match: { _id: credentialId } },
    { $set: { now: '$$NOW' } },
  ]);
  return seen ?? null;
}

/** Takes the lease of what was seen. Null when another process has written in between. */
export async function claimToken(
  { id: credentialId, workspaceId, secretVersion }: OAuthCredential,
  seen: SeenToken | null,
  leaseMs: number,
): Promise<TokenLease | null> {
  const holder = randomUUID();
  const isOfSecret = seen?.secretVersion === secretVersion;
  const start = isOfSecret
    ? {}
    : literals({
        workspaceId,
        secretVersion,
        token: null,
        earlier: seen ? earlierTokens(seen) : [],
        failure: null,
        authentication: 'basic',
      });
  const claimed = await CredentialTokenModel.findOneAndUpdate(
    { _id: credentialId, revision: seen?.revision ?? 0 },
    write({ ...start, lease: { holder: { $literal: holder }, until: inMs(leaseMs) } }),
    { upsert: seen === null, returnDocument: 'after', updatePipeline: true },
  )
    .lean<CredentialTokenDocument>()
    .catch((error: unknown) => {
      if (isDuplicateKey(error)) return null; // another process has inserted the document
      throw error;
    });
  return claimed && { credentialId, holder, claimed };
}

/** Writes as the holder of the lease. Returns whether the lease still was the holder's. */
async function writeLeased(lease: TokenLease, set: Record<string, unknown>): Promise<boolean> {
  const { matchedCount } = await CredentialTokenModel.updateOne(
    { _id: lease.credentialId, 'lease.holder': lease.holder },
    write(set),
    { updatePipeline: true },
  );
  return matchedCount === 1;
}

/** Prolongs the lease. Returns whether the lease still was the holder's. */
export const renewLease = (lease: TokenLease, leaseMs: number): Promise<boolean> =>
  writeLeased(lease, {
    lease: { holder: { $literal: lease.holder }, until: inMs(leaseMs) },
  });

/** Ends the lease without a result, so that another caller may ask at once. */
export const releaseLease = (lease: TokenLease): Promise<boolean> =>
  writeLeased(lease, { lease: null });

export interface FetchedToken {
  id: string;
  sealed: string;
  lifetimeMs: number;
  authentication: ClientAuthentication;
  /** Milliseconds for which the token is not replaced although a server refuses it; null without such a time. */
  keepMs: number | null;
}

/** Stores a token and ends the lease. Returns false without a write when the lease was lost. */
export function storeToken(
  lease: TokenLease,
  { id, sealed, lifetimeMs, authentication, keepMs }: FetchedToken,
): Promise<boolean> {
  const ahead = Math.min(AHEAD_MS, lifetimeMs * AHEAD_PART);
  return writeLeased(lease, {
    ...literals({ earlier: earlierTokens(lease.claimed), authentication }),
    token: {
      ...literals({ id, sealed }),
      expiresAt: inMs(lifetimeMs),
      renewAt: inMs(lifetimeMs - ahead),
      keepUntil: keepMs === null ? null : inMs(keepMs),
    },
    failure: null,
    lease: null,
  });
}

export interface TokenFailure {
  code: TokenFailureCode;
  detail: string;
  count: number;
  /** Milliseconds for which the token endpoint is not asked again. */
  backoffMs: number;
}

/** Stores a failure and ends the lease. Returns false without a write when the lease was lost. */
export const storeFailure = (
  lease: TokenLease,
  { backoffMs, ...failure }: TokenFailure,
): Promise<boolean> =>
  writeLeased(lease, { failure: { ...literals(failure), until: inMs(backoffMs) }, lease: null });

/** Removes the stored token of a deleted credential. */
export const removeToken = async (credentialId: number): Promise<void> =>
  void (await CredentialTokenModel.deleteOne({ _id: credentialId }));

/** The replaced tokens that masks still cover, the present token first. */
const earlierTokens = ({ token, earlier }: CredentialTokenDocument) => {
  const replaced = token ? [{ sealed: token.sealed, expiresAt: token.expiresAt }] : [];
  return [...replaced, ...earlier].slice(0, MAX_EARLIER);
};

const write = (set: Record<string, unknown>) => [
  { $set: { ...set, revision: { $add: ['$revision', 1] }, removeAt: inMs(STORED_MS) } },
];

/** A time by the database's clock. */
const inMs = (ms: number) => ({ $add: ['$$NOW', Math.round(ms)] });

/** The values as they are: an expression would read a text that begins with `$` as a path. */
const literals = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { $literal: value }]));

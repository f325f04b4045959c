import type { CredentialTokenDocument } from '../../../models/credential-token.model.ts';
import { type NoAccessToken, unavailable } from './access-token.ts';

/** The stored token of a credential, read together with the database's time. */
export type SeenToken = CredentialTokenDocument & { now: Date };

type StoredToken = NonNullable<CredentialTokenDocument['token']>;

/** What a caller that needs a token does next. */
export type TokenDecision =
  /** The caller uses the token. `renew` asks for another one ahead of the expiry. */
  | { kind: 'use'; token: StoredToken; renew: boolean }
  /** The caller takes the lease and asks the token endpoint. */
  | { kind: 'fetch' }
  /** Another caller asks the token endpoint. */
  | { kind: 'wait' }
  /** There is no token for now. */
  | { kind: 'fail'; failure: NoAccessToken };

export interface TokenNeed {
  secretVersion: number;
  /** The id of a token that a server has refused. */
  refusedToken?: string | undefined;
}

/** Decides by the stored token and the database's time. Null stands for a credential without a stored token. */
export function decideToken(seen: SeenToken | null, need: TokenNeed): TokenDecision {
  if (!seen || seen.secretVersion < need.secretVersion) return { kind: 'fetch' };
  if (seen.secretVersion > need.secretVersion) return { kind: 'fail', failure: SECRET_CHANGED };
  const { token, lease, failure, now } = seen;
  const isFetching = lease !== null && lease.until > now;
  const isFailing = failure !== null && failure.until > now;
  if (token && isUsable(token, need, now)) {
    return { kind: 'use', token, renew: token.renewAt <= now && !isFetching && !isFailing };
  }
  if (isFetching) return { kind: 'wait' };
  if (!isFailing) return { kind: 'fetch' };
  const { code, detail } = failure;
  return { kind: 'fail', failure: { ok: false, code, detail } };
}

const isUsable = (token: StoredToken, { refusedToken }: TokenNeed, now: Date): boolean => {
  if (token.expiresAt <= now) return false;
  return token.id !== refusedToken || (token.keepUntil !== null && token.keepUntil > now);
};

/** The caller has read the credential before its secret was changed, and must not use the newer token. */
const SECRET_CHANGED: NoAccessToken = {
  ...unavailable('The secret of the credential was changed while the call was prepared.'),
  isOutdated: true,
};

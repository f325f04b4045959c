import type { TokenFailureCode } from '../../../models/credential-token.model.ts';

/** What the tokens of a credential depend on. */
export interface OAuthCredential {
  id: number;
  workspaceId: number;
  allowedOrigins: readonly string[];
  secretVersion: number;
}

/** The secret of a credential of the type `OAUTH2_CLIENT_CREDENTIALS`. */
export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
}

/** An access token, to be sent as `Authorization: Bearer`. Masks cover its value. */
export interface AccessToken {
  ok: true;
  value: string;
  /** The id to give as `refusedToken` when a server refuses the token. */
  tokenId: string;
}

export interface NoAccessToken {
  ok: false;
  code: TokenFailureCode | 'CREDENTIAL_ORIGIN_REFUSED';
  /** A sentence for a person, without secrets. */
  detail: string;
  /** The credential was changed after the caller has read it. With the credential as it is now there may be a token. */
  isOutdated?: true;
}

export type TokenResult = AccessToken | NoAccessToken;

export const unavailable = (detail: string): NoAccessToken => ({
  ok: false,
  code: 'TOKEN_UNAVAILABLE',
  detail,
});

export const CREDENTIAL_CHANGED: NoAccessToken = {
  ...unavailable('The credential was changed or deleted while its token was fetched.'),
  isOutdated: true,
};

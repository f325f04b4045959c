import type { CallRefusal } from '../contract/internal.ts';
import type { FieldSealer } from '../envelope/field-sealer.ts';
import type { OAuthTokens } from '../oauth-tokens/oauth-tokens.ts';
import { authCredentials, type StoredAuthCredential } from './auth-credentials.store.ts';
import { isAllowedTarget, originOf } from './origins/origins.ts';
import { bearer, putSecret, secretValuesOf } from './secret/request-secret.ts';
import { openSecret } from './secret/sealed-secret.ts';
import { storeUse } from './store-use.ts';

export interface CredentialTools {
  sealer: FieldSealer;
  tokens: Pick<OAuthTokens, 'accessTokenOf'>;
}

/** A request's URL and headers with the secret of a credential. */
export interface PreparedCredential {
  ok: true;
  /** The URL, with an API key that belongs into the query. */
  url: string;
  /** Headers with the secret, which are sent to the origin of `url` alone. */
  secretHeaders: Record<string, string>;
  /** The credential whose secret the request contains; null without a secret. */
  credentialId: number | null;
  /** The values that no answer, log or record may show. */
  secrets: string[];
  /** The id of the OAuth access token in the request; null without a token. */
  tokenId: string | null;
}

/**
 * Puts the secret of a credential into a request for the URL. Refuses a URL whose origin the credential does not
 * allow before the secret is opened. `refusedToken` is the id of a token that the server has answered with 401.
 */
export async function prepareCredential(
  credential: StoredAuthCredential,
  url: URL,
  tools: CredentialTools,
  options: { refusedToken?: string | undefined } = {},
): Promise<PreparedCredential | CallRefusal> {
  const prepared = await prepare(credential, url, tools, options);
  if (prepared !== OUTDATED) return prepared;
  const current = await authCredentials.find(credential._id);
  const again = current ? await prepare(current, url, tools, options) : DELETED;
  return again === OUTDATED ? CHANGED : again;
}

/** The result for a credential that was changed after the caller has read it. */
const OUTDATED = 'outdated';

async function prepare(
  credential: StoredAuthCredential,
  url: URL,
  { sealer, tokens }: CredentialTools,
  { refusedToken }: { refusedToken?: string | undefined },
): Promise<PreparedCredential | CallRefusal | typeof OUTDATED> {
  if (!isAllowedTarget(credential, url)) return refusedOrigin(credential, url);
  const typed = await openSecret(sealer, credential);
  const { _id: id, workspaceId, allowedOrigins, secretVersion } = credential;
  if (typed.authType !== 'OAUTH2_CLIENT_CREDENTIALS') {
    const { url: target, ...put } = putSecret(typed, url);
    storeUse(credential, new Date());
    const credentialId = typed.authType === 'NONE' ? null : id;
    return { ok: true, ...put, url: target.href, credentialId, tokenId: null };
  }
  const client = { id, workspaceId, allowedOrigins, secretVersion };
  const token = await tokens.accessTokenOf(client, typed.secret, { refusedToken });
  if (!token.ok) {
    return token.isOutdated ? OUTDATED : { ok: false, code: token.code, detail: token.detail };
  }
  storeUse(credential, new Date());
  const { secretHeaders } = bearer(token.value, url);
  const secrets = [...secretValuesOf(typed), token.value];
  return {
    ok: true,
    url: url.href,
    secretHeaders,
    credentialId: id,
    secrets,
    tokenId: token.tokenId,
  };
}

const DELETED: CallRefusal = {
  ok: false,
  code: 'REFERENCE_NOT_FOUND',
  detail: 'The auth credential has been deleted.',
};
const CHANGED: CallRefusal = {
  ok: false,
  code: 'TOKEN_UNAVAILABLE',
  detail: 'The auth credential was changed while its token was fetched.',
};
const refusedOrigin = ({ _id }: StoredAuthCredential, url: URL): CallRefusal => ({
  ok: false,
  code: 'CREDENTIAL_ORIGIN_REFUSED',
  detail: `The origin ${originOf(url)} is not among the allowedOrigins of the auth credential ${_id}.`,
});

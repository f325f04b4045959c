import { isAllowedTarget } from '../auth-credentials/origins/origins.ts';
import type { ClientCredentials, NoAccessToken, OAuthCredential } from './access-token.ts';

/** The refusal of a token URL whose origin is not among the `allowedOrigins`; null for an allowed one. */
export function refusedTokenUrl(
  { allowedOrigins }: Pick<OAuthCredential, 'allowedOrigins'>,
  { tokenUrl }: Pick<ClientCredentials, 'tokenUrl'>,
): NoAccessToken | null {
  const url = URL.parse(tokenUrl);
  if (url && isAllowedTarget({ authType: 'OAUTH2_CLIENT_CREDENTIALS', allowedOrigins }, url))
    return null;
  return {
    ok: false,
    code: 'CREDENTIAL_ORIGIN_REFUSED',
    detail: 'The origin of the token URL is not among the allowedOrigins of the credential.',
  };
}

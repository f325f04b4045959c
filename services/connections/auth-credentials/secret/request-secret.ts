import { textsOfSecret } from '../../oauth-tokens/client-authentication.ts';
import type { ApiKeySecret, TypedSecret } from './secret.ts';

/** The places of a request that a secret is put in, and the values that no answer, log or record may show. */
export interface RequestSecret {
  secretHeaders: Record<string, string>;
  url: URL;
  secrets: string[];
}

/** A secret that goes into a request as it is stored; a client of OAuth 2 needs a token first. */
type SentSecret = Exclude<TypedSecret, { authType: 'OAUTH2_CLIENT_CREDENTIALS' }>;

/** The request with the secret in its place. */
export function putSecret(typed: SentSecret, url: URL): RequestSecret {
  const secrets = secretValuesOf(typed);
  switch (typed.authType) {
    case 'NONE':
      return { secretHeaders: {}, url, secrets };
    case 'BASIC': {
      const pair = Buffer.from(pairOf(typed.secret)).toString('base64');
      return { secretHeaders: { authorization: `Basic ${pair}` }, url, secrets };
    }
    case 'BEARER':
      return { ...bearer(typed.secret.token, url), secrets };
    case 'API_KEY':
      return { ...putKey(typed.secret, url), secrets };
  }
}

/** The request with an access token (RFC 6750, section 2.1). */
export const bearer = (token: string, url: URL): Omit<RequestSecret, 'secrets'> => ({
  secretHeaders: { authorization: `Bearer ${token}` },
  url,
});

function putKey({ name, in: place, value }: ApiKeySecret, url: URL) {
  if (place === 'header') return { secretHeaders: { [name.toLowerCase()]: value }, url };
  return { secretHeaders: {}, url: withParameter(url, name, value) };
}

/** The URL with a parameter in place of all parameters of that name. The spelling of the others stays. */
function withParameter(url: URL, name: string, value: string): URL {
  const others = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name));
  const changed = new URL(url);
  changed.search = [...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join(
    '&',
  );
  return changed;
}

const pairOf = ({ username, password }: { username: string; password: string }): string =>
  `${username}:${password}`;

/** The values of a secret that no answer, log or record may show. */
export function secretValuesOf(typed: TypedSecret): string[] {
  switch (typed.authType) {
    case 'NONE':
      return [];
    case 'BASIC':
      return [typed.secret.password]; // a mask finds the password in the base64 of the pair as well
    case 'BEARER':
      return [typed.secret.token];
    case 'API_KEY':
      return [typed.secret.value];
    case 'OAUTH2_CLIENT_CREDENTIALS':
      return textsOfSecret(typed.secret);
  }
}

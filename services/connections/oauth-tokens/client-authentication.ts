import type { ClientAuthentication } from '../../../models/credential-token.model.ts';
import type { ClientCredentials } from './access-token.ts';

/** The parts of a token request that depend on the kind of client authentication. */
export interface AuthenticatedForm {
  secretHeaders: Record<string, string>;
  body: string;
}

/** Makes the form of a token request (RFC 6749, section 4.4.2) and authenticates the client (section 2.3.1). */
export function authenticatedForm(
  { clientId, clientSecret, scopes }: ClientCredentials,
  authentication: ClientAuthentication,
): AuthenticatedForm {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length) form.set('scope', scopes.join(' '));
  if (authentication === 'post') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
    return { secretHeaders: {}, body: form.toString() };
  }
  const pair = `${formEncode(clientId)}:${formEncode(clientSecret)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { secretHeaders: { authorization }, body: form.toString() };
}

/** The texts of a client secret that a mask covers: HTTP Basic has the encoded secret in base64. */
export const textsOfSecret = ({ clientSecret }: ClientCredentials): string[] => [
  ...new Set([clientSecret, formEncode(clientSecret)]),
];

/** Encodes as a value of `application/x-www-form-urlencoded` (RFC 6749, appendix B). */
const formEncode = (text: string): string =>
  new URLSearchParams({ '': text }).toString().slice('='.length);

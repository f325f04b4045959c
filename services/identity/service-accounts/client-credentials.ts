import { InvalidRequest, Problem } from '../../../contract/problem.ts';
import type { Params } from '../../contracts.ts';
import { InvalidClient } from '../identity.problems.ts';

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

type TokenRequest = Params<'identity.token'>;

/** The credentials of a token request, which has to show them in one way only (RFC 6749, section 2.3). */
export function credentialsOf({
  authorization,
  client_id: clientId,
  client_secret: clientSecret,
}: TokenRequest): ClientCredentials {
  if (authorization === undefined) {
    if (clientId === undefined || clientSecret === undefined) throw noCredentials();
    return { clientId, clientSecret };
  }
  if (clientSecret !== undefined) throw invalid('The client must show its secret in one way only.');
  const credentials = readBasic(authorization);
  if (!credentials) throw noCredentials();
  if (clientId !== undefined && clientId !== credentials.clientId) {
    throw invalid('client_id is not the client of the Authorization header.');
  }
  return credentials;
}

const BASIC = /^Basic +([A-Za-z\d+/]+={0,2}) *$/i;

/**
 * Reads the id and the secret of `Authorization: Basic`; null for any other text. Each is form-encoded (RFC 6749,
 * section 2.3.1), so that a colon can stand in either.
 */
export function readBasic(header: string): ClientCredentials | null {
  const encoded = BASIC.exec(header)?.[1];
  const pair = encoded === undefined ? null : decodeBase64(encoded);
  const [, id, secret] = /^([^:]+):([^:]+)$/s.exec(pair ?? '') ?? [];
  const clientId = decodeForm(id);
  const clientSecret = decodeForm(secret);
  return clientId === null || clientSecret === null ? null : { clientId, clientSecret };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeBase64(text: string): string | null {
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    return null;
  }
}

function decodeForm(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const invalid = (detail: string): Problem => new Problem(InvalidRequest, detail);

const noCredentials = (): Problem =>
  new Problem(
    InvalidClient,
    'A client id and a client secret are needed: with HTTP Basic, or as client_id and client_secret.',
  );

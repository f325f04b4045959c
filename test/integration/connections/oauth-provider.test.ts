import { createOutboundClient } from '@workspace-automation/outbound-http';
import { decodeJwt } from 'jose';
import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import { OAuthTokens } from '../../../services/connections/oauth-tokens/oauth-tokens.ts';
import { useDatabase } from '../../helpers/database.ts';
import { request } from '../../helpers/http.ts';
import {
  killProviders,
  type OidcProvider,
  startOidcProvider,
} from '../../helpers/oidc-provider.ts';
import { ownShareOf } from '../../helpers/own-share.ts';
import { PLACE_SEALER } from '../../helpers/place-sealer.ts';

useDatabase([CredentialTokenModel]);

const AUDIENCE = 'https://orders.example';
const outbound = createOutboundClient({ allow: ['127.0.0.0/8'] });
let provider: OidcProvider;
let tokens: OAuthTokens;

beforeAll(async () => {
  provider = await startOidcProvider(AUDIENCE);
  const onError = (error: unknown): never => {
    throw error;
  };
  tokens = new OAuthTokens({
    outbound,
    sealer: PLACE_SEALER,
    exists: async () => true,
    shareOf: ownShareOf,
    onError,
  });
});
afterAll(async () => {
  killProviders();
  await tokens.close();
  await outbound.close();
});

/** Registers a client that may authenticate in one way only (RFC 7591). */
async function register(method: string): Promise<{ clientId: string; clientSecret: string }> {
  const { IDP_INITIAL_ACCESS_TOKEN: token } = provider.env;
  const { body } = await request<{ client_id: string; client_secret: string }>(
    provider.url,
    'POST',
    '/reg',
    {
      headers: { authorization: `Bearer ${token}` },
      body: { redirect_uris: [], token_endpoint_auth_method: method },
    },
  );
  return { clientId: body.client_id, clientSecret: body.client_secret };
}

const credentialOf = (id: number) => ({
  id,
  workspaceId: 1,
  allowedOrigins: [provider.url],
  secretVersion: 1,
});
const secretOf = (client: { clientId: string; clientSecret: string }) => ({
  tokenUrl: `${provider.url}/token`,
  scopes: [],
  ...client,
});

test.each([
  ['client_secret_basic', 1],
  ['client_secret_post', 2],
])('an OpenID provider gives a client with %s a token', async (method, id) => {
  const client = await register(method);
  const result = await tokens.accessTokenOf(credentialOf(id), secretOf(client));
  if (!result.ok) throw new Error(result.detail);
  expect(decodeJwt(result.value)).toMatchObject({ aud: AUDIENCE, client_id: client.clientId });
});

test('an OpenID provider refuses a client with another secret', async () => {
  const { clientId } = await register('client_secret_basic');
  const wrong = secretOf({ clientId, clientSecret: 'another-secret' });
  expect(await tokens.accessTokenOf(credentialOf(3), wrong)).toEqual({
    ok: false,
    code: 'TOKEN_REFUSED',
    detail: 'The token endpoint refused the client of the credential with "invalid_client".',
  });
});

import { decodeJwt } from 'jose';
import { request } from '../../helpers/http.ts';
import { useOAuthTokens } from '../../helpers/oauth-tokens.ts';
import {
  killProviders,
  type OidcProvider,
  startOidcProvider,
} from '../../helpers/oidc-provider.ts';

const AUDIENCE = 'https://orders.example';
const { makeTokens, newCredential, secretOf } = useOAuthTokens();
let provider: OidcProvider;

beforeAll(async () => {
  provider = await startOidcProvider(AUDIENCE);
});
afterAll(killProviders);

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

const askFor = (client: { clientId: string; clientSecret: string }) =>
  makeTokens().accessTokenOf(
    newCredential({ allowedOrigins: [provider.url] }),
    secretOf({ tokenUrl: `${provider.url}/token`, scopes: [], ...client }),
  );

test.each(['client_secret_basic', 'client_secret_post'])(
  'an OpenID provider gives a client with %s a token',
  async (method) => {
    const client = await register(method);
    const result = await askFor(client);
    if (!result.ok) throw new Error(result.detail);
    expect(decodeJwt(result.value)).toMatchObject({ aud: AUDIENCE, client_id: client.clientId });
  },
);

test('an OpenID provider refuses a client with another secret', async () => {
  const { clientId } = await register('client_secret_basic');
  expect(await askFor({ clientId, clientSecret: 'another-secret' })).toEqual({
    ok: false,
    code: 'TOKEN_REFUSED',
    detail: 'The token endpoint refused the client of the credential with "invalid_client".',
  });
});

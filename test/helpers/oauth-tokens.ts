import { createOutboundClient } from '@workspace-automation/outbound-http';
import { CredentialTokenModel } from '../../models/credential-token.model.ts';
import type {
  ClientCredentials,
  OAuthCredential,
} from '../../services/connections/oauth-tokens/access-token.ts';
import {
  OAuthTokens,
  type OAuthTokensOptions,
} from '../../services/connections/oauth-tokens/oauth-tokens.ts';
import type { TokenTiming } from '../../services/connections/oauth-tokens/token-timing.ts';
import { useDatabase } from './database.ts';
import { ownShareOf } from './own-share.ts';
import { PLACE_SEALER } from './place-sealer.ts';
import { TokenServer } from './token-server.ts';

export const CLIENT_SECRET = 'client-secret-canary';

/** Gives the tests of a file a database and a token server. What `makeTokens` makes closes after its test, and may have met no error. */
export function useOAuthTokens(models: Parameters<typeof useDatabase>[0] = [CredentialTokenModel]) {
  const server = new TokenServer();
  const outbound = createOutboundClient({ allow: ['127.0.0.0/8'] });
  const made: OAuthTokens[] = [];
  const errors: unknown[] = [];
  let lastId = 0;
  useDatabase(models);
  beforeAll(() => server.start());
  beforeEach(() => server.reset());
  afterEach(async () => {
    await Promise.all(made.splice(0).map((tokens) => tokens.close()));
    expect(errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await outbound.close();
    await server.stop();
  });
  return {
    server,
    makeTokens(
      timing: Partial<TokenTiming> = {},
      options: Partial<OAuthTokensOptions> = {},
    ): OAuthTokens {
      const tokens = new OAuthTokens({
        outbound,
        sealer: PLACE_SEALER,
        exists: async () => true,
        shareOf: ownShareOf,
        onError: (error) => void errors.push(error),
        timing,
        ...options,
      });
      made.push(tokens);
      return tokens;
    },
    newCredential: (change: Partial<OAuthCredential> = {}): OAuthCredential => ({
      id: ++lastId,
      workspaceId: 7,
      allowedOrigins: [server.origin],
      secretVersion: 1,
      ...change,
    }),
    secretOf: (change: Partial<ClientCredentials> = {}): ClientCredentials => ({
      tokenUrl: server.url,
      clientId: 'shop',
      clientSecret: CLIENT_SECRET,
      scopes: ['orders'],
      ...change,
    }),
  };
}

import type { OutboundClient } from '@workspace-automation/outbound-http';
import { logger } from '../../support/logging.ts';
import { createServiceClient } from '../../support/outbound.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { authCredentials } from './auth-credentials/auth-credentials.store.ts';
import type { FieldSealer } from './envelope/field-sealer.ts';
import { OAuthTokens } from './oauth-tokens/oauth-tokens.ts';

/** The client for addresses that users chose, and the OAuth access tokens that it fetches. */
export class OutboundAccess {
  readonly sealer: FieldSealer;
  readonly outbound: OutboundClient;
  readonly tokens: OAuthTokens;

  constructor(sealer: FieldSealer, owners: ShareOwners) {
    this.sealer = sealer;
    this.outbound = createServiceClient();
    this.tokens = new OAuthTokens({
      outbound: this.outbound,
      sealer,
      exists: async (id) => (await authCredentials.find(id)) !== null,
      shareOf: (workspaceId) => owners.ofWorkspace(workspaceId),
      onError: (error) => logger.error({ err: error }, 'An access token was not renewed'),
    });
  }

  async close(): Promise<void> {
    await this.tokens.close();
    await this.outbound.close();
  }
}

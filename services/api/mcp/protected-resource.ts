import { environment, publicUrl } from '../../../environment/environment.ts';

const RESOURCE_PATH = '/mcp';

/** The address of the metadata, which a 401 names (RFC 9728, section 5.1). */
export const protectedResourceUrl = `${publicUrl}/.well-known/oauth-protected-resource${RESOURCE_PATH}`;

/** The metadata of the protected resource (RFC 9728, section 2). */
export const protectedResource = () => ({
  resource: `${publicUrl}${RESOURCE_PATH}`,
  authorization_servers: [environment.IDP_ISSUER ?? publicUrl],
  bearer_methods_supported: ['header'],
});

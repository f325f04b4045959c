import { environment } from '../../../../environment/environment.ts';
import { embeddedProvider } from './embedded-provider.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { clientRemover, type OidcSettings, oidcRegistrar } from './oidc-provider.ts';

/** The settings of another identity provider; null for this service. */
export function oidcSettings(): OidcSettings | null {
  const { IDP_ISSUER, IDP_REGISTRATION_URL, IDP_INITIAL_ACCESS_TOKEN } = environment;
  if (!IDP_ISSUER || !IDP_REGISTRATION_URL) return null;
  return {
    issuer: IDP_ISSUER,
    registrationUrl: IDP_REGISTRATION_URL,
    initialToken: IDP_INITIAL_ACCESS_TOKEN,
  };
}

/** The identity provider that the environment names. Clients at a provider that it named before are removed there. */
export function identityProvider(): IdentityProvider {
  const settings = oidcSettings();
  return { ...embeddedProvider, ...clientRemover, ...(settings ? oidcRegistrar(settings) : {}) };
}

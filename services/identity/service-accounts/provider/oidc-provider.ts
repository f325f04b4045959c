import { randomUUID } from 'node:crypto';
import { ProviderClientModel } from '../../../../models/provider-client.model.ts';
import { registerClient, removeClient } from './client-registration.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { ProviderOutage } from './provider-call.ts';
import {
  deleteClient,
  findClient,
  managementOf,
  storeIntent,
  storeRegistered,
  sweepTime,
} from './provider-clients.ts';

export interface OidcSettings {
  issuer: string;
  registrationUrl: string;
  initialToken: string | undefined;
}

type Registrar = Pick<IdentityProvider, 'register'>;
type Remover = Omit<IdentityProvider, 'register'>;

/** Registers clients at an OpenID provider by dynamic client registration. */
export const oidcRegistrar = ({
  issuer,
  registrationUrl,
  initialToken,
}: OidcSettings): Registrar => ({
  async register(owner) {
    const name = await storeIntent(owner, issuer);
    const client = await registerClient(registrationUrl, initialToken, name).catch(
      async (error: unknown) => {
        // Where the provider may have made a client, the sweep logs its name.
        if (error instanceof ProviderOutage && !error.mayBeDone) await deleteClient(name);
        throw error;
      },
    );
    await storeRegistered(name, client);
    const { clientId, clientSecret } = client;
    const fields = { clientId, issuer, secretHash: null, credentialId: randomUUID() };
    return { clientSecret, fields };
  },
});

/** Looks after clients at other providers, also after another provider was configured. */
export const clientRemover: Remover = {
  async confirm(_owner, { fields }) {
    const { clientId, issuer } = fields;
    if (issuer !== null) await ProviderClientModel.updateOne({ clientId, issuer }, { dueAt: null });
  },

  async remove({ clientId, issuer }, change) {
    const client = issuer === null ? null : await findClient({ clientId, issuer });
    if (!client) return;
    const { _id } = client;
    await ProviderClientModel.updateOne({ _id }, { removal: change, dueAt: sweepTime() });
    const management = managementOf(client);
    if (management) await removeClient(management);
  },

  async release({ clientId, issuer }) {
    const client = issuer === null ? null : await findClient({ clientId, issuer });
    if (!client) return;
    const { _id } = client;
    await ProviderClientModel.updateOne({ _id }, { dueAt: sweepTime() });
    try {
      const management = managementOf(client);
      if (management) await removeClient(management);
      await deleteClient(_id);
    } catch (error) {
      if (!(error instanceof ProviderOutage)) throw error; // the sweep removes the client later
    }
  },
};

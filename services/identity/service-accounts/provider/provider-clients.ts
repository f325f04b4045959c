import { randomUUID } from 'node:crypto';
import {
  type ProviderClientDocument,
  ProviderClientModel,
} from '../../../../models/provider-client.model.ts';
import type { Management, RegisteredClient } from './client-registration.ts';
import type { ClientOwner, OwnedClient } from './identity-provider.ts';
import { seal, unseal } from './seal.ts';

/** Milliseconds from a step of a request until the sweep looks after the client: longer than a request may take. */
const SWEEP_AFTER_MS = 15_000;

export const sweepTime = (): Date => new Date(Date.now() + SWEEP_AFTER_MS);

/** Stores that a client is about to be registered, so that an interrupted registration is noticed. */
export async function storeIntent(
  { _id: accountId, workspaceId }: ClientOwner,
  issuer: string,
): Promise<string> {
  const _id = `service-account-${accountId}-${randomUUID()}`;
  await ProviderClientModel.create({
    _id,
    accountId,
    workspaceId,
    issuer,
    clientId: null,
    managementUrl: null,
    managementToken: null,
    dueAt: sweepTime(),
    failures: 0,
    createdAt: new Date(),
  });
  return _id;
}

/** Stores what the provider answered, before any account names the client. */
export async function storeRegistered(
  _id: string,
  { clientId, managementUrl, managementToken }: RegisteredClient,
): Promise<void> {
  const sealed = seal(managementToken, _id);
  const update = { clientId, managementUrl, managementToken: sealed, dueAt: sweepTime() };
  await ProviderClientModel.updateOne({ _id }, update);
}

export const findClient = ({
  clientId,
  issuer,
}: Pick<OwnedClient, 'clientId' | 'issuer'>): Promise<ProviderClientDocument | null> =>
  ProviderClientModel.findOne({ clientId, issuer: issuer ?? '' })
    .lean<ProviderClientDocument>()
    .exec();

export const deleteClient = async (_id: string): Promise<void> => {
  await ProviderClientModel.deleteOne({ _id });
};

/** How the client is managed at the provider; null for a client whose registration was never answered. */
export const managementOf = ({
  _id,
  managementUrl,
  managementToken,
}: ProviderClientDocument): Management | null =>
  managementUrl && managementToken
    ? { managementUrl, managementToken: unseal(managementToken, _id) }
    : null;

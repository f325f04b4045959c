import type { StoredConfiguration } from './configurations.store.ts';
import type { ConfigurationStore, FlowCredentialPair } from './contract/resources.ts';
import type { Credentials, Directory } from './references/directory.ts';

type StoredPair = StoredConfiguration['flowCredentialPairs'][number];

export async function showConfiguration(
  store: StoredConfiguration,
  directory: Pick<Directory, 'credentialsOf'>,
): Promise<ConfigurationStore> {
  return showConfigurationWith(await credentialsIn([store], directory))(store);
}

/** The credentials that some stores of one workspace use. */
export async function credentialsIn(
  stores: readonly Pick<StoredConfiguration, 'workspaceId' | 'flowCredentialPairs'>[],
  directory: Pick<Directory, 'credentialsOf'>,
): Promise<Credentials> {
  const ids = stores
    .flatMap(({ flowCredentialPairs }) => flowCredentialPairs)
    .flatMap((pair) => [pair.sourceAuthCredentialId, pair.destinationAuthCredentialId])
    .filter((id) => id !== null);
  const [store] = stores;
  return store && ids.length ? directory.credentialsOf(store.workspaceId, ids) : new Map();
}

/** A credential that has gone is shown as null. */
export const showPairWith = (credentials: Credentials) => {
  const show = (id: number | null) => (id === null ? null : (credentials.get(id) ?? null));
  return (pair: StoredPair): FlowCredentialPair => ({
    id: pair.id,
    flowId: pair.flowId,
    sourceAuthCredential: show(pair.sourceAuthCredentialId),
    destinationAuthCredential: show(pair.destinationAuthCredentialId),
  });
};

export const showConfigurationWith =
  (credentials: Credentials) =>
  (store: StoredConfiguration): ConfigurationStore => ({
    id: store._id,
    workspaceId: store.workspaceId,
    externalId: store.externalId,
    name: store.name,
    status: store.status,
    flowCredentialPairs: store.flowCredentialPairs.map(showPairWith(credentials)),
    properties: store.properties.map(({ id, key, value }) => ({ id, key, value })),
    createdAt: store.createdAt.toISOString(),
    updatedAt: store.updatedAt.toISOString(),
  });

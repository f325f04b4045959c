import type { Actions, Params } from '../contracts.ts';
import type { StoredConfiguration } from './configurations.store.ts';
import { findById, findByName } from './find-configuration.ts';
import { mapOf } from './properties/merge.ts';

/** The store that a run is started with. A text of digits is the id of the store. */
export async function findForRun({
  workspaceId,
  configuration,
}: Params<'configurations.forRun'>): Promise<Actions['configurations.forRun']['result']> {
  const store = await (typeof configuration === 'number'
    ? findById(configuration, workspaceId)
    : findByName(configuration, workspaceId));
  return { store: store && showForRun(store) };
}

const showForRun = (store: StoredConfiguration) => ({
  id: store._id,
  externalId: store.externalId,
  updatedAt: store.updatedAt.toISOString(),
  archived: store.status === 'ARCHIVED',
  properties: mapOf(store.properties),
  pairs: store.flowCredentialPairs.map(({ id: _id, ...pair }) => pair),
});

import { IdText } from '../../contract/fields.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import { configurations, type StoredConfiguration } from './configurations.store.ts';
import { ExternalId } from './contract/resources.ts';

/**
 * The store of a workspace that a text names: its id in decimal digits, or its external id. Null for none. Archived
 * stores are found as well.
 */
export async function findByName(
  name: string,
  workspaceId: number,
): Promise<StoredConfiguration | null> {
  const id = IdText.safeParse(name);
  if (id.success) return findById(id.data, workspaceId);
  const externalId = ExternalId.safeParse(name);
  if (!externalId.success) return null;
  const filter = { workspaceId, externalId: externalId.data };
  const { projection } = configurations;
  const found = await ConfigurationStoreModel.findOne(filter, projection)
    .lean<StoredConfiguration>()
    .exec();
  return found;
}

/** The store with the id, where it is one of the workspace; null otherwise. */
export async function findById(
  id: number,
  workspaceId: number,
): Promise<StoredConfiguration | null> {
  const store = await configurations.find(id);
  return store?.workspaceId === workspaceId ? store : null;
}

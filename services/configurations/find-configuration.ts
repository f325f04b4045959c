import { IdText } from '../../contract/fields.ts';
import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import { configurations, type StoredConfiguration } from './configurations.store.ts';
import { ExternalId } from './contract/resources.ts';

/** The fields of a store that name it, without its properties and pairs, which take up to 200 KiB. */
export type StoreHead = Pick<StoredConfiguration, '_id' | 'workspaceId' | 'externalId'>;
const HEAD = { workspaceId: 1, externalId: 1 } as const;

/**
 * The store of a workspace that a text names: its id in decimal digits, or its external id. Null for none. Archived
 * stores are found as well.
 */
export async function findByName(
  name: string,
  workspaceId: number,
): Promise<StoredConfiguration | null> {
  const key = keyOf(name);
  if (!key) return null;
  if (key._id !== undefined) return findById(key._id, workspaceId);
  const { projection } = configurations;
  return ConfigurationStoreModel.findOne({ workspaceId, ...key }, projection).lean();
}

/** The head of the store that a text names, as above. */
export const findHeadByName = (name: string, workspaceId: number): Promise<StoreHead | null> =>
  findHead(name, { workspaceId });

/** The head of the store that a text names. Null for an archived store. */
export const findActiveHeadByName = (
  name: string,
  workspaceId: number,
): Promise<StoreHead | null> => findHead(name, { workspaceId, status: 'ACTIVE' });

async function findHead(
  name: string,
  among: { workspaceId: number; status?: 'ACTIVE' },
): Promise<StoreHead | null> {
  const key = keyOf(name);
  return key ? ConfigurationStoreModel.findOne({ ...among, ...key }, HEAD).lean() : null;
}

/** The condition for the store that a text names in its workspace; null for a text that names no store. */
function keyOf(name: string): { _id?: number; externalId?: string } | null {
  const id = IdText.safeParse(name);
  if (id.success) return { _id: id.data };
  const externalId = ExternalId.safeParse(name);
  return externalId.success ? { externalId: externalId.data } : null;
}

/** The store with the id, where it is one of the workspace; null otherwise. */
export async function findById(
  id: number,
  workspaceId: number,
): Promise<StoredConfiguration | null> {
  const store = await configurations.find(id);
  return store?.workspaceId === workspaceId ? store : null;
}

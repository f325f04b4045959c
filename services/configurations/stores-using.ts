import { ConfigurationStoreModel } from '../../models/configuration-store.model.ts';
import type { Actions, Params } from '../contracts.ts';

/** Stores that the answer names; of the others it has the number. */
const MAX_NAMED = 5;

/** The stores that use a credential. Archived ones count, because they can be restored. */
export async function findStoresUsing({
  workspaceId,
  credentialId,
}: Params<'configurations.storesUsing'>): Promise<Actions['configurations.storesUsing']['result']> {
  const filter = {
    workspaceId,
    $or: [
      { 'flowCredentialPairs.sourceAuthCredentialId': credentialId },
      { 'flowCredentialPairs.destinationAuthCredentialId': credentialId },
    ],
  };
  const named = await ConfigurationStoreModel.find(filter, { name: 1 })
    .sort({ _id: 1 })
    .limit(MAX_NAMED)
    .lean();
  const all =
    named.length < MAX_NAMED ? named.length : await ConfigurationStoreModel.countDocuments(filter);
  return {
    stores: named.map(({ _id: id, name }) => ({ id, name })),
    more: Math.max(0, all - named.length),
  };
}
